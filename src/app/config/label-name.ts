/** The names of labels. A name stands before `=` in `--label`, and is the name of a property in JUnit. */
export const LABEL_NAME = /^[A-Za-z][\w.-]{0,63}$/;
