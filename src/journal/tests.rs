//! Tests of the whole journal over a real store.
