//! The order of records: heads, ancestors, and an order in which parents come first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A record as a node of the graph.
pub trait Node {
    /// Its subject; a record only follows others with the same key.
    fn key(&self) -> &str;
    /// The ids of the records that it follows.
    fn parents(&self) -> &[String];
    /// The number that its device counted up for it.
    fn sequence(&self) -> u64;
}

/// Records by id.
pub type Nodes<N> = BTreeMap<String, N>;

/// The heads of each key: sorted ids of records that no other one follows.
pub type Heads = BTreeMap<String, Vec<String>>;

/// Why records do not belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("A record is missing that another one follows.")]
    Missing,
    #[error("A record follows one about something else.")]
    OtherKey,
    #[error("Records follow each other in a circle.")]
    Circle,
}

/// Checks that every parent is there and has the same key, and that there is no circle.
///
/// # Errors
/// The first rule that is broken.
pub fn check<N: Node>(nodes: &Nodes<N>) -> Result<(), GraphError> {
    for node in nodes.values() {
        for parent in node.parents() {
            let parent = nodes.get(parent).ok_or(GraphError::Missing)?;
            if parent.key() != node.key() {
                return Err(GraphError::OtherKey);
            }
        }
    }
    if in_order(nodes).len() == nodes.len() { Ok(()) } else { Err(GraphError::Circle) }
}

/// The heads of each key.
pub fn heads<N: Node>(nodes: &Nodes<N>) -> Heads {
    let mut heads = Heads::new();
    let followed: BTreeSet<&String> = nodes.values().flat_map(Node::parents).collect();
    for (id, node) in nodes.iter().filter(|(id, _)| !followed.contains(id)) {
        heads.entry(node.key().to_owned()).or_default().push(id.clone());
    }
    heads
}

/// These records and all that they follow; ids that are not there are left out.
pub fn with_ancestors<'a, N: Node>(
    nodes: &'a Nodes<N>,
    ids: impl IntoIterator<Item = &'a String>,
) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut left: Vec<&String> = ids.into_iter().collect();
    while let Some(id) = left.pop() {
        if let Some((id, node)) = nodes.get_key_value(id)
            && found.insert(id)
        {
            left.extend(node.parents());
        }
    }
    found
}

/// Every record once, parents first; of those that could come next, the one with the fewest generations
/// before it, then by sequence and id. Records of a circle are left out.
pub fn in_order<N: Node>(nodes: &Nodes<N>) -> Vec<&String> {
    let mut waiting: BTreeMap<&String, usize> = BTreeMap::new();
    let mut children: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for (id, node) in nodes {
        let parents = node.parents().iter().filter_map(|parent| nodes.get_key_value(parent));
        let parents: BTreeSet<&String> = parents.map(|(parent, _)| parent).collect();
        waiting.insert(id, parents.len());
        for parent in parents {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut ready: VecDeque<(usize, &String)> =
        waiting.iter().filter(|(_, parents)| **parents == 0).map(|(id, _)| (0, *id)).collect();
    let mut order: Vec<(usize, u64, &String)> = Vec::new();
    // Records come out by generation, because they wait for the last of their parents.
    while let Some((generation, id)) = ready.pop_front() {
        order.push((generation, nodes[id].sequence(), id));
        for child in children.get(id).into_iter().flatten() {
            let Some(parents) = waiting.get_mut(child) else { continue };
            *parents -= 1;
            if *parents == 0 {
                ready.push_back((generation + 1, child));
            }
        }
    }
    order.sort_unstable();
    order.into_iter().map(|(_, _, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain(&'static str, Vec<String>, u64);

    impl Node for Plain {
        fn key(&self) -> &str {
            self.0
        }

        fn parents(&self) -> &[String] {
            &self.1
        }

        fn sequence(&self) -> u64 {
            self.2
        }
    }

    fn nodes(rows: &[(&str, &'static str, &[&str], u64)]) -> Nodes<Plain> {
        let node = |(id, key, parents, sequence): &(&str, &'static str, &[&str], u64)| {
            let parents = parents.iter().map(|parent| (*parent).to_owned()).collect();
            ((*id).to_owned(), Plain(key, parents, *sequence))
        };
        rows.iter().map(node).collect()
    }

    #[test]
    fn heads_are_followed_by_nobody_and_parents_come_first() {
        let nodes = nodes(&[
            ("a", "k", &[], 9),
            ("b", "k", &["a"], 2),
            ("c", "k", &["a"], 1),
            ("d", "k", &["b", "c"], 1),
            ("x", "other", &[], 3),
        ]);
        assert_eq!(check(&nodes), Ok(()));
        let heads = heads(&nodes);
        assert_eq!(heads["k"], ["d"]);
        assert_eq!(heads["other"], ["x"]);
        assert_eq!(in_order(&nodes), ["x", "a", "c", "b", "d"]);
        let last = "b".to_owned();
        let known: Vec<_> = with_ancestors(&nodes, [&last]).into_iter().collect();
        assert_eq!(known, ["a", "b"]);
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let check = |rows: &[(&str, &'static str, &[&str], u64)]| check(&nodes(rows));
        assert_eq!(check(&[("a", "k", &["gone"], 1)]), Err(GraphError::Missing));
        let keys = check(&[("a", "k", &[], 1), ("b", "other", &["a"], 1)]);
        assert_eq!(keys, Err(GraphError::OtherKey));
        let circle = check(&[("a", "k", &["b"], 1), ("b", "k", &["a"], 1)]);
        assert_eq!(circle, Err(GraphError::Circle));
    }
}
