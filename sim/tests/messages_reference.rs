//! The queues against a naive reference: a list of all messages ever sent, looked through from the start each time.

use overtake_recipes::store::messages::Message;
use overtake_sim::stores::messages::{Inner, Request, Response};
use overtake_sim::stores::{Messages, Served, Service, Value};
use proptest::prelude::*;

const QUEUES: [&str; 2] = ["a", "b"];

/// A message and everything that ever happened to it.
#[derive(Debug)]
struct Letter {
    queue: &'static str,
    body: i64,
    priority: u8,
    /// How each of its deliveries ended; the last may still go on.
    deliveries: Vec<End>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    GoingOn,
    Acknowledged,
    Void,
}

impl Letter {
    fn is_ready(&self) -> bool {
        self.deliveries.last().is_none_or(|end| *end == End::Void)
    }
}

#[derive(Debug, Default)]
struct Naive {
    letters: Vec<Letter>,
}

impl Naive {
    fn of(&mut self, queue: &'static str) -> impl Iterator<Item = (usize, &mut Letter)> {
        self.letters.iter_mut().filter(move |letter| letter.queue == queue).enumerate()
    }

    fn receive(&mut self, queue: &'static str) -> Option<Response> {
        let highest =
            self.of(queue).filter(|(_, letter)| letter.is_ready()).map(|(_, letter)| letter.priority).max()?;
        let mut those = self.of(queue).filter(|(_, letter)| letter.is_ready() && letter.priority == highest);
        let (id, letter) = those.next().expect("one has the highest priority");
        letter.deliveries.push(End::GoingOn);
        Some(Response::Message(Some(Message {
            id: id as u32,
            body: Value::Int(letter.body),
            priority: letter.priority,
            receipt: letter.deliveries.len() as u32,
        })))
    }

    fn end(&mut self, queue: &'static str, id: u32, receipt: u32, how: End) -> bool {
        let letter = self.of(queue).nth(id as usize).map(|(_, letter)| letter);
        let index = (receipt as usize).checked_sub(1);
        let delivery = letter.and_then(|letter| letter.deliveries.get_mut(index?));
        let goes_on = delivery.filter(|end| **end == End::GoingOn);
        goes_on.map(|end| *end = how).is_some()
    }

    fn serve(&mut self, request: &Request) -> Option<Response> {
        match request {
            Request::Send(queue, body, priority) => {
                let body = body.as_int().expect("bodies are numbers here");
                self.letters.push(Letter { queue, body, priority: *priority, deliveries: Vec::new() });
                Some(Response::Done)
            }
            Request::Receive(queue) => self.receive(queue),
            Request::TryReceive(queue) => Some(self.receive(queue).unwrap_or(Response::Message(None))),
            Request::Acknowledge(queue, id, receipt) => {
                Some(Response::Was(self.end(queue, *id, *receipt, End::Acknowledged)))
            }
            Request::GiveBack(queue, id, receipt) => Some(Response::Was(self.end(queue, *id, *receipt, End::Void))),
        }
    }

    fn out(&mut self) -> Vec<Inner> {
        let mut out = Vec::new();
        for queue in QUEUES {
            let those = self.of(queue).filter(|(_, letter)| letter.deliveries.last() == Some(&End::GoingOn));
            out.extend(those.map(|(id, _)| Inner::Redeliver(queue, id as u32)));
        }
        out
    }
}

#[derive(Clone, Debug)]
enum Act {
    Request(Request),
    /// One of those that may be delivered again.
    Redeliver(prop::sample::Index),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let queue = prop::sample::select(&QUEUES[..]);
    let act = prop_oneof![
        3 => (queue.clone(), 0i64..3, 0u8..3)
            .prop_map(|(queue, body, priority)| Request::Send(queue, Value::Int(body), priority)),
        3 => queue.clone().prop_map(Request::Receive),
        2 => queue.clone().prop_map(Request::TryReceive),
        3 => (queue.clone(), 0u32..6, 0u32..4).prop_map(|(queue, id, receipt)| Request::Acknowledge(queue, id, receipt)),
        2 => (queue, 0u32..6, 0u32..4).prop_map(|(queue, id, receipt)| Request::GiveBack(queue, id, receipt)),
    ];
    let act = prop_oneof![
        6 => act.prop_map(Act::Request),
        1 => any::<prop::sample::Index>().prop_map(Act::Redeliver),
    ];
    prop::collection::vec(act, 0..60)
}

proptest! {
    #[test]
    fn queues_do_what_the_reference_does(acts in acts()) {
        let (mut messages, mut naive) = (Messages::default(), Naive::default());
        for act in acts {
            match act {
                Act::Request(request) => {
                    let served = match messages.serve(0, &request, None) {
                        Served::Done(result) => Some(result.expect("queues know no errors")),
                        Served::Waits => None,
                        Served::Going(progress) => match progress {},
                    };
                    prop_assert_eq!(served, naive.serve(&request), "{:?}", request);
                }
                Act::Redeliver(which) => {
                    let inner = messages.inner();
                    prop_assert_eq!(&inner, &naive.out());
                    if !inner.is_empty() {
                        let inner = which.get(&inner);
                        messages.take(inner);
                        let Inner::Redeliver(queue, id) = *inner;
                        let (_, letter) = naive.of(queue).nth(id as usize).expect("it is there");
                        *letter.deliveries.last_mut().expect("it is out") = End::Void;
                    }
                }
            }
            for queue in QUEUES {
                prop_assert_eq!(messages.sent(queue) as usize, naive.of(queue).count());
                let left: Vec<_> = messages.unacknowledged(queue).map(|message| message.id as usize).collect();
                let unacknowledged = naive.of(queue).filter(|(_, l)| l.deliveries.last() != Some(&End::Acknowledged));
                prop_assert_eq!(left, unacknowledged.map(|(id, _)| id).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn names_in_bodies_are_kept_apart() {
    use overtake_sim::names::{Name, Names, unique_id};
    let mut messages = Messages::default().with("q", unique_id(18), 1);
    let mut seen = 0;
    messages.names(&mut |name| {
        seen += 1;
        if let Name::Who(who) = name {
            *who = 3;
        }
    });
    assert_eq!(seen, 1);
    assert_eq!(messages, Messages::default().with("q", unique_id(3), 1));
}
