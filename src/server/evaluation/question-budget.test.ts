import { expect, it } from 'vitest';
import { QuestionBudget } from './question-budget.ts';

it('attack: a member that asks without a pause waits, and another does not', () => {
  const budget = new QuestionBudget(10_000);
  let now = 0;
  for (let asked = 0; asked < 30 && budget.wait('greedy', now) === 0; asked++) {
    now += 1000;
    budget.spend('greedy', 1000, now);
  }
  // Of each second half comes back, so the budget lasts for twice its length, less the half that came back of the last one.
  expect(now).toBe(19_000);
  expect(budget.wait('greedy', now)).toBeGreaterThan(0);
  expect(budget.wait('modest', now)).toBe(0);
});

it('comes back at half the speed of the clock', () => {
  const budget = new QuestionBudget(10_000);
  budget.spend('a', 14_000, 0);
  expect(budget.wait('a', 0)).toBe(9);
  expect(budget.wait('a', 7999)).toBeGreaterThan(0);
  expect(budget.wait('a', 9000)).toBe(0);
  budget.spend('a', 1000, 1_000_000);
  expect(budget.wait('a', 1_000_000)).toBe(0);
});
