//! Answers in canonical form: reading is idempotent, and what a shape calls the same is the same.

use git_sq::question::{ListOrder, NumberShape, Shape, canonical, is_same_answer};
use proptest::prelude::*;
use serde_json::{Number, Value, json};

fn shapes() -> impl Strategy<Value = Option<Shape>> {
    let number = (proptest::option::of("[a-zµ%]{0,2}"), proptest::option::of(0.0..10.0)).prop_map(
        |(unit, tolerance)| NumberShape { unit, tolerance: tolerance.and_then(Number::from_f64) },
    );
    let words = proptest::collection::vec("[aAbB ]{0,3}", 2..4);
    proptest::option::of(prop_oneof![
        Just(Shape::Boolean),
        Just(Shape::Text),
        Just(Shape::List(ListOrder::Set)),
        Just(Shape::List(ListOrder::Order)),
        number.prop_map(Shape::Number),
        words.prop_map(Shape::Enum),
    ])
}

fn given() -> impl Strategy<Value = Value> {
    let one = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[-0-9.e]{1,5} ?[a-zµ%]{0,2}".prop_map(Value::from),
        "[aAbB ,]{0,5}".prop_map(Value::from),
        "(?i)yes|no|true|false".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let list = proptest::collection::vec(one.clone(), 0..5).prop_map(Value::from);
    prop_oneof![one, list]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_what_was_read_changes_nothing(shape in shapes(), given in given()) {
        if let Ok(read) = canonical(shape.as_ref(), &given) {
            // As it comes out of the log.
            let read: Value = serde_json::from_str(&read.to_string()).unwrap();
            prop_assert_eq!(canonical(shape.as_ref(), &read), Ok(read.clone()));
            prop_assert!(is_same_answer(shape.as_ref(), &read, &read));
        }
    }

    #[test]
    fn the_order_of_a_set_is_no_difference(mut items in proptest::collection::vec("[a-c ]{1,3}", 0..5), turn in 0..5usize) {
        let set = Shape::List(ListOrder::Set);
        let one = canonical(Some(&set), &json!(items)).unwrap();
        let turn = turn.min(items.len());
        items.rotate_left(turn);
        items.extend(items.first().cloned());
        let two = canonical(Some(&set), &json!(items.join(" , "))).unwrap();
        prop_assert!(is_same_answer(Some(&set), &one, &two), "{one} {two}");
        prop_assert_eq!(one, two);
    }

    #[test]
    fn numbers_within_the_tolerance_are_the_same(number in -1e6..1e6f64, by in 0.0..2.0f64, tolerance in 0.01..1e3f64) {
        let shape = Shape::Number(NumberShape { unit: None, tolerance: Number::from_f64(tolerance) });
        let other = number + by * tolerance;
        let is_clear = (by - 1.0).abs() > 1e-6;
        prop_assert!(!is_clear || is_same_answer(Some(&shape), &json!(number), &json!(other)) == (by < 1.0));
    }
}

#[test]
fn decimals_are_as_far_apart_as_they_are_written() {
    let tenth = Shape::Number(NumberShape { unit: None, tolerance: Number::from_f64(0.1) });
    assert!(is_same_answer(Some(&tenth), &json!(0.3), &json!(0.4)));
    assert!(!is_same_answer(Some(&tenth), &json!(0.3), &json!(0.41)));
}
