//! Reading and writing.

/// What the lock is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Together with other readers.
    Read,
    /// Alone.
    Write,
}

impl Access {
    /// What the names of the nodes hold before the number.
    pub fn label(self) -> &'static str {
        match self {
            Self::Read => "read-",
            Self::Write => "write-",
        }
    }

    /// Whether the node of that name was made for this.
    pub fn is_of(self, name: &str) -> bool {
        // Before the label stands an id of hexadecimal digits and hyphens.
        name.contains(self.label())
    }
}
