//! The ids of facts.

use git_sq::facts::ids;

#[test]
fn ids_are_of_four_letters_that_depend_on_no_order_and_more_where_they_collide() {
    let mut keys: Vec<String> = (0..2_000).map(|key| key.to_string()).collect();
    let found = ids(&keys);
    assert!(found.iter().all(|id| id.len() >= 4));
    assert!(found.iter().any(|id| id.len() > 4));
    assert!(found.iter().all(|id| found.iter().filter(|other| other.starts_with(id)).count() == 1));
    keys.reverse();
    let mut turned = ids(&keys);
    turned.reverse();
    assert_eq!(found, turned);
    assert_eq!(ids(&["a".into()])[0], ids(&["b".into(), "a".into(), "a".into()])[1]);
}
