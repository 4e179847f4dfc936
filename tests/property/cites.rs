//! Citations in running text.

use git_sq::entry::Cited;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_path_that_is_quoted_is_found(
        path in "[^\"]{1,40}", from in 1..=u32::MAX, more in 0..9_u32,
        before in "[^\"]{0,40}", after in "([^\"0-9-][^\"]{0,40})?",
    ) {
        let to = from.saturating_add(more);
        for lines in [format!("{from}-{to}"), format!("{from}")] {
            let cited = Cited::parse(&format!("{path}:{lines}"));
            prop_assert!(cited.is_some());
            let found = Cited::find_in(&format!("{before}\"{path}\":{lines}{after}"));
            prop_assert!(found.iter().any(|one| Some(one) == cited.as_ref()), "{:?}", found);
        }
    }

    #[test]
    fn any_plain_path_is_found_in_brackets_and_quotes(
        path in "(\\([a-z.]{0,5}\\)|\\[[a-z.]{0,5}\\]|\\{[a-z.]{0,5}\\}|[a-z./_-]{1,8}){1,5}", line in 1..=u32::MAX,
        around in prop::sample::select(&["?", "`?`", "'?'", "\"?\"", "(?)", "[?],", "<?>.", "see {?}; "][..]),
    ) {
        let text = format!("{path}:{line}");
        let cited = Cited::parse(&text);
        let found = Cited::find_in(&around.replace('?', &text));
        prop_assert_eq!(found.first(), cited.as_ref());
    }
}
