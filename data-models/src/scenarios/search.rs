//! A search while somebody types: in the cart, by PLU, and in the mobile app.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use overtake_data_recipes::search::{
    BETWEEN_INPUTS, Screen, cancel_and_ignore, faulty, newest, numbered, switch_to_latest,
};
use overtake_models::{Scenario, scenario};
use overtake_recipes::Environment;
use overtake_sim::program::Context;
use overtake_sim::stores::{Search, Stores};

use crate::property::*;

const SOURCE: &str = "the slides on race conditions: one lookup could overtake the other";
const LAST: &str = "the display belongs to the last input";
const BACK: &str = "the display never goes back";
const ADDED: &str = "the article that is added is the one typed";

/// How a look-up is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    LastArrival,
    CancelOnly,
    Debounce,
    Numbered,
    Newest,
    CancelAndIgnore,
    SwitchToLatest,
}

/// The screen of a client, with what a person would remember of it.
#[derive(Clone)]
struct Display {
    ctx: Context,
    inputs: &'static [&'static str],
    /// Another input takes the results away.
    clears: bool,
    shown: Rc<RefCell<Option<String>>>,
    newest: Rc<Cell<Option<usize>>>,
}

impl Display {
    fn new(ctx: &Context, inputs: &'static [&'static str], clears: bool) -> Self {
        Self { ctx: ctx.clone(), inputs, clears, shown: Rc::default(), newest: Rc::default() }
    }
}

impl Screen for Display {
    fn typed(&self, text: &str) {
        self.ctx.mark_with("typed", text);
        if self.clears {
            self.ctx.unmark("shown");
            *self.shown.borrow_mut() = None;
        }
    }

    fn show(&self, results: &str) {
        self.ctx.mark_with("shown", results);
        *self.shown.borrow_mut() = Some(results.to_owned());
        let input = self.inputs.iter().position(|input| *input == results);
        if input < self.newest.get() {
            self.ctx.mark_with("went back", results);
        }
        self.newest.set(input.max(self.newest.get()));
    }
}

async fn types(ctx: &Context, way: Way, screen: &Display) {
    let inputs = screen.inputs;
    match way {
        Way::LastArrival => faulty::last_arrival::search(ctx, screen, inputs).await,
        Way::CancelOnly => faulty::cancel_only::search(ctx, screen, inputs).await,
        Way::Debounce => faulty::debounce::search(ctx, screen, inputs).await,
        Way::Numbered => numbered(ctx, screen, inputs).await,
        Way::Newest => newest(ctx, screen, inputs).await,
        Way::CancelAndIgnore => cancel_and_ignore(ctx, screen, inputs).await,
        Way::SwitchToLatest => switch_to_latest(ctx, screen, inputs).await,
    }
}

/// Types a PLU, and presses Enter some time: the article that is shown then goes into the cart.
async fn cashier(ctx: Context, way: Way) {
    let screen = Display::new(&ctx, &["4", "40"], true);
    let pressed = ctx.clone();
    let shown = screen.shown.clone();
    types(&ctx, way, &screen).await;
    pressed.sleep(BETWEEN_INPUTS).await;
    match &*shown.borrow() {
        Some(article) => pressed.mark_with("added", article),
        None => pressed.mark("nothing to add"),
    }
}

/// Types what it looks for.
async fn shopper(ctx: Context, way: Way) {
    types(&ctx, way, &Display::new(&ctx, &["m", "mi", "milk"], false)).await;
}

/// What goes into the cart was shown for the number in the field.
fn the_article_added_is_the_one_typed() -> Property {
    Property::always(ADDED, SOURCE, |view| {
        for client in view.clients() {
            if let (Some(Some(typed)), Some(Some(added))) = (client.mark("typed"), client.mark("added"))
                && typed != added
            {
                let (typed, added) = (typed.short(), added.short());
                return Err(format!("the field reads {typed}, and the article {added} is in the cart"));
            }
        }
        Ok(())
    })
    .where_marked(&["added"], 1)
}

fn cart(name: &str, way: Way) -> Scenario {
    scenario(format!("cart search, {name}"))
        .about(
            "A cashier types the PLU 40, digit by digit. Each digit starts a look-up, and takes the article off the screen that was \
             found before. Enter puts the article on the screen into the cart.",
        )
        .source(SOURCE)
        .stores(Stores { search: Some(Search), ..Stores::default() })
        .client("cashier", move |ctx| async move {
            cashier(ctx, way).await;
            Ok::<(), String>(())
        })
        .properties([
            the_article_added_is_the_one_typed(),
            display_belongs_to_the_last_input(),
            no_program_fails(),
            somebody_is(&["added"], "an article is added"),
            everybody_is_done(),
        ])
        // One that looks up and types in turn waits for the article.
        .properties((way != Way::SwitchToLatest).then(|| somebody_is(&["nothing to add"], "Enter comes before the article")))
}

fn mobile(name: &str, way: Way) -> Scenario {
    scenario(format!("mobile search, {name}"))
        .about("A shopper types three letters more and more. The results of each input are shown as they come.")
        .source(SOURCE)
        .stores(Stores { search: Some(Search), ..Stores::default() })
        .client("shopper", move |ctx| async move {
            shopper(ctx, way).await;
            Ok::<(), String>(())
        })
        .properties([
            display_belongs_to_the_last_input(),
            display_never_goes_back(),
            no_program_fails(),
            everybody_is_done(),
        ])
}

/// Both searches: what is faulty, and what mends it.
pub fn scenarios() -> Vec<Scenario> {
    let older = || {
        Property::sometimes("results are seen while the last are on their way", |view| {
            let client = view.client(0);
            client.is_marked("shown") && client.mark("shown") != client.mark("typed")
        })
    };
    vec![
        cart("last arrival", Way::LastArrival).breaks(ADDED).fixed_by("cart search, numbered"),
        cart("cancel only", Way::CancelOnly).breaks(ADDED).fixed_by("cart search, cancel and ignore"),
        cart("debounce", Way::Debounce).breaks(ADDED).fixed_by("cart search, numbered"),
        cart("numbered", Way::Numbered),
        cart("cancel and ignore", Way::CancelAndIgnore),
        cart("switch to latest", Way::SwitchToLatest),
        mobile("last arrival", Way::LastArrival).breaks(BACK).fixed_by("mobile search, newest"),
        mobile("cancel only", Way::CancelOnly).breaks(BACK).fixed_by("mobile search, cancel and ignore"),
        mobile("debounce", Way::Debounce).breaks(LAST).fixed_by("mobile search, newest"),
        mobile("newest", Way::Newest).property(older()),
        mobile("cancel and ignore", Way::CancelAndIgnore),
        mobile("switch to latest", Way::SwitchToLatest).property(older()),
    ]
}
