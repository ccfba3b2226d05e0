//! The same workload on madsim and turmoil, as their users would write it.

use std::net::SocketAddr;
use std::time::Duration;

use madsim::net::Endpoint;
use madsim::runtime::Runtime;
use turmoil::net::UdpSocket;

/// Raw messages of 16 bytes between madsim's endpoints.
pub fn madsim(clients: usize, round_trips: u64) {
    let runtime = Runtime::with_seed_and_config(1, Default::default());
    let address: SocketAddr = "10.0.0.1:1".parse().expect("an address");
    let server = runtime.create_node().ip(address.ip()).build();
    server.spawn(async move {
        let net = Endpoint::bind(address).await.expect("bind");
        let mut buffer = [0u8; 16];
        loop {
            let (length, from) = net.recv_from(1, &mut buffer).await.expect("receive");
            net.send_to(from, 2, &buffer[..length]).await.expect("send");
        }
    });
    let mut handles = Vec::new();
    for client in 0..clients {
        let own: SocketAddr = format!("10.0.1.{}:1", client + 1).parse().expect("an address");
        let node = runtime.create_node().ip(own.ip()).build();
        handles.push(node.spawn(async move {
            madsim::time::sleep(Duration::from_secs(1)).await;
            let net = Endpoint::bind(own).await.expect("bind");
            let mut buffer = [0u8; 16];
            for _ in 0..round_trips {
                net.send_to(address, 1, &buffer).await.expect("send");
                net.recv_from(2, &mut buffer).await.expect("receive");
            }
        }));
    }
    runtime.block_on(async move {
        for handle in handles {
            handle.await.expect("a client");
        }
    });
}

/// UDP in turmoil, latency 1 to 10 ms, a tick of 1 ms (shorter ticks break the promised latency).
pub fn turmoil(clients: usize, round_trips: u64) {
    let mut sim = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(100_000))
        .rng_seed(1)
        .tick_duration(Duration::from_millis(1))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(10))
        .udp_capacity(1024)
        .build();
    sim.host("server", || async move {
        let socket = UdpSocket::bind("0.0.0.0:9000").await?;
        let mut buffer = [0u8; 16];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await?;
            socket.send_to(&buffer[..length], from).await?;
        }
    });
    for client in 0..clients {
        sim.client(format!("c{client}"), async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await?;
            let mut buffer = [client as u8; 16];
            for _ in 0..round_trips {
                socket.send_to(&buffer, "server:9000").await?;
                socket.recv_from(&mut buffer).await?;
            }
            Ok(())
        });
    }
    sim.run().expect("turmoil");
}
