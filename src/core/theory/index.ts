// The theory of the relaxation: reference distributions F, closed forms of its distribution and of its bias.
export * from './inverse-error-function.ts';
export * from './reference-distribution.ts';
export * from './relaxation-theory.ts';
