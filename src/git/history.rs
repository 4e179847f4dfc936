//! The commits that a tip contains, as a graph for ancestry queries.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use super::{Link, Oid};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

#[derive(Debug, Default)]
pub struct History {
    ids: Vec<Oid>,
    times: Vec<i64>,
    /// `parents[parent_ends[n - 1]..parent_ends[n]]` are the parents of node n.
    parents: Vec<u32>,
    parent_ends: Vec<u32>,
    index: HashMap<Oid, u32, gix::hashtable::hash::Builder>,
    cut_at: Vec<Oid>,
    missing: Vec<Oid>,
    on_main: OnceCell<Vec<u32>>,
    shape: OnceCell<Shape>,
}

/// Tables that answer most ancestry queries in constant time.
#[derive(Debug)]
struct Shape {
    /// The newest commit of the main line that a commit contains.
    contains: Vec<u32>,
    /// The oldest commit of the main line that contains a commit.
    contained_by: Vec<u32>,
    /// The position of a commit when children come before parents.
    rank: Vec<u32>,
}

const OFF: u32 = u32::MAX;

impl History {
    /// All that `link` leads to from a tip; history ends where it `is_cut` off.
    pub fn of(
        tip: Oid,
        is_cut: impl Fn(Oid) -> bool,
        mut link: impl FnMut(Oid) -> Option<Link>,
    ) -> Self {
        let (mut history, mut next) = (Self::default(), 0);
        history.node(tip);
        while let Some(&id) = history.ids.get(next) {
            let found = link(id);
            history.missing.extend(found.is_none().then_some(id));
            let Link { mut parents, time } = found.unwrap_or_default();
            if is_cut(id) {
                history.cut_at.push(id);
                parents.clear();
            }
            history.times.push(time);
            for parent in parents {
                let parent = history.node(parent);
                history.parents.push(parent);
            }
            history.parent_ends.push(u32::try_from(history.parents.len()).unwrap_or(u32::MAX));
            next += 1;
        }
        history
    }

    fn node(&mut self, id: Oid) -> u32 {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        let node = *self.index.entry(id).or_insert(next);
        if node == next {
            self.ids.push(id);
        }
        node
    }

    pub fn find(&self, id: Oid) -> Option<Node> {
        self.index.get(&id).copied().map(Node)
    }

    pub fn id(&self, node: Node) -> Oid {
        self.ids[node.0 as usize]
    }

    /// In seconds since 1970.
    pub fn time(&self, node: Node) -> i64 {
        self.times[node.0 as usize]
    }

    /// All nodes: the tip first, the others in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..u32::try_from(self.ids.len()).unwrap_or(u32::MAX)).map(Node)
    }

    pub fn cut_at(&self) -> &[Oid] {
        &self.cut_at
    }

    pub fn missing(&self) -> &[Oid] {
        &self.missing
    }

    fn parents(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.parent_ends[node - 1] as usize };
        &self.parents[start..self.parent_ends[node] as usize]
    }

    pub fn first_parent(&self, node: Node) -> Option<Node> {
        self.parents(node.0).first().copied().map(Node)
    }

    /// Number of commits on the line of first parents, the tip included.
    pub fn main_length(&self) -> u32 {
        let length = self.on_main().iter().filter(|&&distance| distance != OFF).count();
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    /// The distance from the tip of the first commit on the main line that contains `node`; true if it is `node`.
    pub fn merged(&self, node: Node) -> (u32, bool) {
        match self.on_main()[node.0 as usize] {
            OFF => {
                let shape = self.shape.get_or_init(|| self.shape());
                (shape.contained_by[node.0 as usize], false)
            }
            distance => (distance, true),
        }
    }

    /// The distance of each commit from the tip along first parents; `OFF` off that line.
    fn on_main(&self) -> &[u32] {
        self.on_main.get_or_init(|| {
            let mut on_main = vec![OFF; self.ids.len()];
            let mut next = self.nodes().next();
            for distance in 0.. {
                let Some(node) = next.filter(|node| on_main[node.0 as usize] == OFF) else {
                    break;
                };
                on_main[node.0 as usize] = distance;
                next = self.first_parent(node);
            }
            on_main
        })
    }

    pub fn contains(&self, commit: Node, ancestor: Node) -> bool {
        if commit == ancestor {
            return true;
        }
        let shape = self.shape.get_or_init(|| self.shape());
        let (commit, ancestor) = (commit.0 as usize, ancestor.0 as usize);
        if shape.rank[commit] > shape.rank[ancestor] {
            return false;
        }
        // A newer commit of the main line contains all that an older one contains.
        if shape.contains[commit] != OFF && shape.contained_by[ancestor] >= shape.contains[commit] {
            return true;
        }
        if self.on_main()[commit] != OFF || self.on_main()[ancestor] != OFF {
            return false;
        }
        self.search(shape, commit, ancestor)
    }

    /// Searches a path between two commits that avoids the main line.
    fn search(&self, shape: &Shape, commit: usize, ancestor: usize) -> bool {
        let mut seen = HashSet::new();
        let mut stack = vec![commit];
        while let Some(node) = stack.pop() {
            for &parent in self.parents(u32::try_from(node).unwrap_or(OFF)) {
                let parent = parent as usize;
                if parent == ancestor {
                    return true;
                }
                if self.on_main()[parent] == OFF
                    && shape.rank[parent] < shape.rank[ancestor]
                    && seen.insert(parent)
                {
                    stack.push(parent);
                }
            }
        }
        false
    }

    fn shape(&self) -> Shape {
        let count = self.ids.len();
        let on_main = self.on_main();
        let order = self.children_first();
        let mut rank = vec![0; count];
        for (place, &node) in (0..).zip(&order) {
            rank[node as usize] = place;
        }
        let mut contained_by = vec![0; count];
        for &node in &order {
            let here = &mut contained_by[node as usize];
            if on_main[node as usize] != OFF {
                *here = on_main[node as usize];
            }
            let here = *here;
            for &parent in self.parents(node) {
                let there = &mut contained_by[parent as usize];
                *there = here.max(*there);
            }
        }
        let mut contains = vec![OFF; count];
        for &node in order.iter().rev() {
            contains[node as usize] = if on_main[node as usize] == OFF {
                self.parents(node)
                    .iter()
                    .map(|&parent| contains[parent as usize])
                    .min()
                    .unwrap_or(OFF)
            } else {
                on_main[node as usize]
            };
        }
        Shape { contains, contained_by, rank }
    }

    fn children_first(&self) -> Vec<u32> {
        let mut children = vec![0_u32; self.ids.len()];
        for &parent in &self.parents {
            children[parent as usize] += 1;
        }
        let mut order = Vec::with_capacity(self.ids.len());
        let mut ready: Vec<u32> = if self.ids.is_empty() { vec![] } else { vec![0] };
        while let Some(node) = ready.pop() {
            order.push(node);
            for &parent in self.parents(node) {
                let left = &mut children[parent as usize];
                *left -= 1;
                if *left == 0 {
                    ready.push(parent);
                }
            }
        }
        order
    }

    /// Number of commits that this one contains, itself included.
    pub fn count_contained(&self, node: Node) -> usize {
        let mut marked = vec![false; self.ids.len()];
        let mut count = 0;
        let mut stack = vec![node.0];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut marked[node as usize], true) {
                continue;
            }
            count += 1;
            stack.extend(self.parents(node));
        }
        count
    }
}
