//! A step in plain words.

use overtake_sim::world::StepKind;

use super::moment::{Moment, client};

/// What happens, without a full stop.
pub(super) fn step(moment: &Moment<'_>) -> String {
    let name = moment.name();
    let text = &moment.taken.text;
    match moment.kind() {
        StepKind::Serve => serve(moment),
        StepKind::Deliver => deliver(name, text),
        StepKind::Local => match text.split_once(": ") {
            Some((_, "timer runs out")) => format!("{name}'s timer runs out"),
            Some((_, "work is done")) => format!("{name}'s work is done"),
            Some((_, rest)) if rest.ends_with(" is done") => {
                format!("{name} is through with “{}”", rest.trim_end_matches(" is done"))
            }
            _ => text.replacen(": ", " ", 1),
        },
        StepKind::Interrupt => format!("{name} is interrupted: the call is cancelled where it stands"),
        StepKind::Reconnect => match text.split_once(": reaches ") {
            Some((_, "the server again")) | None => format!("{name} reaches ZooKeeper again"),
            Some((_, server)) => format!("{name} reaches {server}"),
        },
        StepKind::GiveUp => {
            format!("{name}'s library gives the session up by its own clock; ZooKeeper does not know it")
        }
        StepKind::Write => match text.rsplit_once(": ") {
            Some((_, "taken")) => format!("the resource takes the write of {name}{}", shown(text)),
            _ => format!("the resource refuses the write of {name}{}", shown(text)),
        },
        StepKind::Accept => text.replacen("leader ← ", "the leader takes from ", 1).replacen(": ", " the ", 1),
        StepKind::Ask => text.replacen(": ", " ", 1),
        StepKind::Commit | StepKind::Resync => text.replacen(": ", " ", 1),
        StepKind::Elect => text.split_once(": ").map_or(text.as_str(), |(_, what)| what).to_owned(),
        StepKind::Notice => format!("{name} learns that its session has expired"),
        StepKind::Cut => format!("the connection between {name} and ZooKeeper breaks"),
        StepKind::Crash if moment.without_zookeeper() => format!("the process of {name} dies"),
        StepKind::Restart if moment.without_zookeeper() => format!("the process of {name} starts again"),
        StepKind::Crash => format!("the process of {name} dies; ZooKeeper does not know it yet"),
        StepKind::Restart => format!("the process of {name} starts again, with a new session"),
        StepKind::Expire if text.starts_with("follower ") => {
            let who = text.split_once(": ").map_or("a follower", |(who, _)| who);
            format!("{who}, gives up {}, which is being renewed with the leader", session(moment))
        }
        StepKind::Expire => format!("{}, although the client lives{}", gives_up(moment), consequence(moment)),
        StepKind::Lapse => format!("{}, which nobody keeps alive{}", gives_up(moment), consequence(moment)),
        StepKind::Apply => format!("ZooKeeper carries out the end of {}", session(moment)),
        StepKind::Call => match text.split_once(" → ") {
            Some((who, what)) => match what.strip_prefix("(late) ") {
                Some(what) => format!("a call that {who} no longer waits for arrives, and is carried out: {what}"),
                None if moment.calls_are_steps() => format!("{who} calls: {what}"),
                None => format!("the store carries out a call of {who}: {what}"),
            },
            None => text.clone(),
        },
        StepKind::Answer => text.replacen(" ← answer to ", " gets the answer to ", 1),
        StepKind::NoAnswer => text.replacen(": ", " gets ", 1),
        StepKind::Duplicate | StepKind::Ring => text.replacen(": ", " ", 1),
        StepKind::Store | StepKind::StoreFault => text.clone(),
        StepKind::Sweep => text.replacen("server: ", "ZooKeeper: ", 1),
    }
}

/// The token that a write shows.
fn shown(text: &str) -> String {
    let token = text.split_once(" with ").and_then(|(_, rest)| rest.rsplit_once(": "));
    token.map_or(String::new(), |(token, _)| format!(", shown {token}"))
}

fn serve(moment: &Moment<'_>) -> String {
    let slot = moment.taken.step.slot as usize;
    let name = moment.name();
    let request = &client(&moment.before, slot).outgoing()[0];
    if moment.calls_are_steps() {
        return format!("{name} calls ZooKeeper: {request}");
    }
    let server = match client(&moment.before, slot).server() {
        0 => "ZooKeeper".to_owned(),
        follower => format!("follower {follower}"),
    };
    let frames = moment.new_frames(slot);
    match answer(&frames) {
        Some(answer) => format!("{server} serves {name}'s {request}, and answers: {answer}"),
        None if server != "ZooKeeper" && frames.is_empty() => {
            format!("{server} takes {name}'s {request}, and asks the leader")
        }
        None => {
            format!("{name}'s request ({request}) reaches ZooKeeper, which takes nothing from a session that is over")
        }
    }
}

/// The answer among the frames that a request put on the wire; `None` when it was refused.
pub(super) fn answer(frames: &[String]) -> Option<&String> {
    frames.iter().find(|frame| !frame.starts_with("connection: ") && !frame.starts_with("event: "))
}

fn deliver(name: &str, text: &str) -> String {
    let frame = text.split_once(" ← ").map_or(text, |(_, frame)| frame);
    if let Some(reply) = frame.strip_prefix("reply: ") {
        return match reply.rsplit_once(" → ") {
            Some((asked, answer)) => format!("{name} gets the answer to {asked}: {answer}"),
            None => format!("{name} gets the answer: {reply}"),
        };
    }
    match frame.split_once(": ") {
        Some(("event", event)) => format!("{name} gets the event: {event}"),
        Some(("connection", state)) => format!("{name} {}", connection(state)),
        _ => format!("{name} gets {frame}"),
    }
}

/// What a client learns of its connection.
pub(super) fn connection(state: &str) -> &str {
    match state {
        "Connected" => "learns that it is connected again",
        "Disconnected" => "learns that the connection is lost",
        "Expired" => "learns that its session has expired",
        other => other,
    }
}

fn session(moment: &Moment<'_>) -> String {
    let text = &moment.taken.text;
    let after = |at: usize| text[at..].split([' ', ',']).nth(1).unwrap_or_default().to_owned();
    match text.find("session ") {
        Some(at) => format!("session {} of {}", after(at), moment.name()),
        None => format!("the session of {}", moment.name()),
    }
}

fn gives_up(moment: &Moment<'_>) -> String {
    format!("ZooKeeper gives up {}", session(moment))
}

fn consequence(moment: &Moment<'_>) -> &'static str {
    match moment.calls_are_steps() {
        true => "; its nodes go",
        false => "; from now on it takes no request of it, but its nodes are still there",
    }
}
