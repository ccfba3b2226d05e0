//! Why there is no order, told so that a person can follow it.

use std::fmt;

use super::Outcome;
use super::history::{History, Operation};
use super::search::{End, Interval, IntervalOf, search};
use super::spec::Spec;

/// Most states, and most of an order, that are told.
const TOLD: usize = 6;

/// Why a history is not linearizable. It stands on the shortest beginning of the history for which there is no order, whatever
/// the calls do that are open at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The object, where there are several.
    pub key: Option<String>,
    /// The line with which it goes wrong: a return. Without it, there is an order.
    pub line: usize,
    /// What that number counts: lines, or events of a world.
    pub unit: &'static str,
    /// The call that returns there.
    pub call: String,
    /// What it was answered.
    pub answer: String,
    /// What the object must be like for that answer.
    pub needs: String,
    /// An order of the calls up to the line, as far as they are needed.
    pub order: Vec<String>,
    /// Calls that are open at the line, and may have taken effect or not.
    pub open: Vec<String>,
    /// What the object can hold before the call that returns at the line, with what was called last.
    pub finals: Vec<String>,
    /// How many more of those there are.
    pub more: usize,
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, unit, call, answer, needs, .. } = self;
        let of = self.key.as_ref().map_or(String::new(), |key| format!(" on {key}"));
        writeln!(f, "There is no order of the calls{of} up to {unit} {line}, whatever those do that are open there.")?;
        match &self.order[..] {
            [] => writeln!(f, "Without that {unit} no call needs to have taken effect.")?,
            order => {
                let left_out = order.len().saturating_sub(TOLD);
                let before = if left_out > 0 { format!("{left_out} calls; ") } else { String::new() };
                writeln!(f, "Without that {unit} there is one: {before}{}.", order[left_out..].join("; "))?;
            }
        }
        writeln!(f, "With it, {call} was answered {answer}: at some moment between, {needs}.")?;
        match &self.open[..] {
            [] => writeln!(f, "No other call is open there.")?,
            open => writeln!(f, "Open there, to have taken effect or not: {}.", open.join("; "))?,
        }
        write!(f, "All that can be the case before its moment was tried:")?;
        self.finals.iter().try_for_each(|state| write!(f, "\n  {state}"))?;
        if self.more > 0 {
            write!(f, "\n  and {} more, none of which does", self.more)?;
        }
        Ok(())
    }
}

/// What a check of one object came to.
pub(super) struct Found {
    pub configurations: usize,
    pub outcome: Outcome,
}

/// What is known of the history before the moment: calls that return later are open.
fn until<S: Spec>(history: &History<S>, moment: usize) -> Vec<IntervalOf<'_, S>> {
    let before = history.operations.iter().take_while(|operation| operation.called < moment);
    let returned = |operation: &Operation<S::Op, S::Answer>| operation.returned.filter(|returned| *returned < moment);
    let interval = |operation| Interval {
        called: Operation::called(operation),
        returned: returned(operation).zip(operation.answer.as_ref()),
        op: &operation.op,
    };
    before.map(interval).collect()
}

impl<O, A> Operation<O, A> {
    fn called(&self) -> usize {
        self.called
    }

    /// `a's write 1 (lines 1 to 3)`. Events of a world are not cited: a story counts its steps otherwise.
    fn told(&self, unit: &str) -> String {
        if unit == super::calls::EVENT {
            return format!("{}'s {}", self.process, self.call_text);
        }
        let when = match self.returned {
            Some(returned) => format!("{unit}s {} to {returned}", self.called),
            None => format!("{unit} {}, never answered", self.called),
        };
        format!("{}'s {} ({when})", self.process, self.call_text)
    }
}

/// Looks for an order, and for an argument when there is none.
pub(super) fn check<S: Spec>(spec: &S, history: &History<S>, key: Option<&str>, limit: usize) -> Found {
    let whole = search(spec, &history.initial, &until(history, usize::MAX), limit);
    let mut configurations = whole.configurations;
    let (returned, mut finals) = match whole.end {
        End::Order => return Found { configurations, outcome: Outcome::Holds },
        End::CutOff => return Found { configurations, outcome: Outcome::Undecided },
        End::Stuck { returned, finals } => (returned, finals),
    };
    let mut returns: Vec<usize> = history.operations.iter().filter_map(|operation| operation.returned).collect();
    returns.sort_unstable();
    // A beginning of a history that has an order has one. So the shortest without one is found by halves.
    let (mut with, mut without) = (returned, returns.len());
    while with + 1 < without {
        let middle = with.midpoint(without);
        let tried = search(spec, &history.initial, &until(history, returns[middle - 1] + 1), usize::MAX);
        configurations += tried.configurations;
        match tried.end {
            End::Stuck { finals: those, .. } => (without, finals) = (middle, those),
            _ => with = middle,
        }
    }
    let argument = argue(spec, history, returns[without - 1], &finals, key);
    Found { configurations, outcome: Outcome::Violated(Box::new(argument)) }
}

fn argue<S: Spec>(
    spec: &S,
    history: &History<S>,
    line: usize,
    finals: &[(S::State, Vec<usize>)],
    key: Option<&str>,
) -> Argument {
    let operations = &history.operations;
    let wrong = operations.iter().position(|operation| operation.returned == Some(line)).expect("a call returns there");
    let operation = &operations[wrong];
    let answer = operation.answer.as_ref().expect("it has returned");
    let order: &[usize] = finals.first().map_or(&[], |(_, order)| order);
    let told = |(state, order): &(S::State, Vec<usize>)| {
        let last =
            order.last().map_or("at first".into(), |last| format!("after {}", operations[*last].told(history.unit)));
        format!("{last} {}", spec.holds(state))
    };
    let open = |(at, operation): &(usize, &Operation<S::Op, S::Answer>)| {
        *at != wrong && operation.called < line && operation.returned.is_none_or(|returned| returned > line)
    };
    Argument {
        key: key.map(str::to_owned),
        line,
        unit: history.unit,
        call: operation.told(history.unit),
        answer: operation.answer_text.clone(),
        needs: spec.needs(&operation.op, answer),
        order: order.iter().map(|i| operations[*i].told(history.unit)).collect(),
        open: operations.iter().enumerate().filter(open).map(|(_, operation)| operation.told(history.unit)).collect(),
        finals: finals.iter().take(TOLD).map(told).collect(),
        more: finals.len().saturating_sub(TOLD),
    }
}
