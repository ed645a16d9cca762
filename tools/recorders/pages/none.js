// The page of a shop without any recorder.
