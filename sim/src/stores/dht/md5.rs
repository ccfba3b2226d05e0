//! MD5 (RFC 1321), which consistent hashing by ketama is built on.

/// How far each of the four rounds rotates.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The digest of a text.
pub fn digest(text: &[u8]) -> [u8; 16] {
    let mut message = text.to_vec();
    message.push(0x80);
    message.resize(message.len().next_multiple_of(64), 0);
    if message.len() - text.len() < 9 {
        message.resize(message.len() + 64, 0);
    }
    let end = message.len() - 8;
    message[end..].copy_from_slice(&(text.len() as u64 * 8).to_le_bytes());

    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(64) {
        let word = |at: usize| u32::from_le_bytes(block[4 * at..4 * at + 4].try_into().expect("four bytes"));
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mix, at) = match step / 16 {
                0 => (b & c | !b & d, step),
                1 => (d & b | !d & c, 5 * step + 1),
                2 => (b ^ c ^ d, 3 * step + 5),
                _ => (c ^ (b | !d), 7 * step),
            };
            let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mix).wrapping_add(constant).wrapping_add(word(at % 16));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(TURNS[step / 16][step % 4]));
        }
        for (old, new) in state.iter_mut().zip([a, b, c, d]) {
            *old = old.wrapping_add(new);
        }
    }
    let mut digest = [0; 16];
    for (place, word) in digest.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::digest;

    fn hex(text: &str) -> String {
        digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_vectors_of_the_rfc() {
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("a"), "0cc175b9c0f1b6a831c399e269772661");
        assert_eq!(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(hex("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(hex(letters), "d174ab98d277d9f5a5611c2c9f419d9f");
        assert_eq!(hex(&"1234567890".repeat(8)), "57edf4a22be3c955ac49da2e2107b67a");
    }

    /// Around the length at which the count of bits no longer fits into the last block.
    #[test]
    fn padding_takes_a_block_of_its_own_when_it_must() {
        assert_eq!(hex(&"a".repeat(55)), "ef1772b6dff9a122358552954ad0df65");
        assert_eq!(hex(&"a".repeat(56)), "3b0c8ac703f828b04c6c197006d17218");
        assert_eq!(hex(&"a".repeat(64)), "014842d480b571495a4a0363793f7367");
    }
}
