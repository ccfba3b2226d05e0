//! What operations on groups cost in calls, as the report tells it.

use overtake_data_models::costs::{markdown, one_group, two_groups};

#[test]
fn copies_are_read_in_one_call_and_changed_in_many() {
    let expected =
        [("keys, read one by one", vec![5, 1]), ("keys, read in batches by node", vec![4, 1]), ("copies", vec![1, 5])];
    assert_eq!(one_group().unwrap(), expected);
}

#[test]
fn each_cure_has_its_price() {
    let expected = [
        ("compare-and-set on each", vec![4, 2]),
        ("one record", vec![2, 1]),
        ("redo from the first", vec![4, 2]),
        ("intent record", vec![8, 2]),
        ("ordered leases", vec![10, 8]),
    ];
    assert_eq!(two_groups().unwrap(), expected);
    assert!(markdown().unwrap().contains("| intent record | 8 | 2 |\n"));
}
