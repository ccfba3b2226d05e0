//! What a scenario comes to: its bounds in words, and the world that is searched.

use overtake_sim::names::Text;
use overtake_sim::program::Program;
use overtake_sim::world::{ClientSetup, Setup, World};
use overtake_sim::zookeeper::{Config, ZooKeeper};

use super::{MOST_SERVERS, Scenario};

impl Scenario {
    /// The bounds, as a line: `3 clients, 1 expiry`.
    pub fn bounds(&self) -> String {
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let mut parts = vec![count(self.size(), "client", "clients")];
        for (fault, n) in self.budget.iter().filter(|(_, n)| *n > 0) {
            parts.push(count(n as usize, fault.singular(), fault.name()));
        }
        if self.servers > 1 {
            parts.push(format!("{} servers", self.servers));
        }
        if self.calls_are_steps {
            parts.push("calls as steps".into());
        }
        parts.join(", ")
    }

    /// Builds the world.
    ///
    /// # Errors
    /// A sentence, when there are no clients, too many, or a fault budget above 15.
    pub fn world(&self) -> Result<World, String> {
        let most = overtake_sim::world::MOST_CLIENTS;
        if !(1..=most).contains(&self.size()) {
            return Err(format!("scenario {:?} has {} clients; a world takes 1 to {most}", self.name, self.size()));
        }
        if !(1..=MOST_SERVERS).contains(&self.servers) {
            return Err(format!(
                "scenario {:?} has {} servers; a world takes 1 to {MOST_SERVERS}",
                self.name, self.servers
            ));
        }
        let breaks = self.budget.disconnects + self.budget.elections > 0;
        let zxids = self.zxids || breaks || self.servers > 1 || self.resource;
        let mut zookeeper = ZooKeeper::new(Config { track_zxids: zxids });
        for (path, mode, counter) in &self.tree {
            let path = Text::new(path);
            zookeeper.seed_node(path, None, *mode);
            if let Some(counter) = counter {
                zookeeper.set_counter(path, *counter);
            }
        }
        let mut clients = Vec::new();
        for (program, group) in self.groups.iter().enumerate() {
            for _ in 0..group.count {
                let name = match group.name.as_str() {
                    "client" => format!("client {}", clients.len() + 1),
                    name => name.to_owned(),
                };
                clients.push(ClientSetup {
                    name,
                    program: program as u16,
                    victim: group.victim,
                    hit_while: group.hit_while,
                    resends_watches: group.resends_watches,
                    server: group.server,
                    roams: group.roams,
                    expires_locally: group.expires_locally,
                });
            }
        }
        let only_stores = self.stores.any() && !self.zookeeper_too;
        let alone = |program: Program| if only_stores { program.unconnected() } else { program };
        Ok(World::new(Setup {
            zookeeper,
            followers: self.servers - 1,
            quirks: self.quirks,
            resource: self.resource,
            stores: self.stores.clone(),
            records: self.records,
            programs: self.groups.iter().map(|g| alone(g.program.clone())).collect(),
            clients,
            budget: self.budget,
            naming: self.naming,
            calls_are_steps: self.calls_are_steps,
            zxids,
        }))
    }
}
