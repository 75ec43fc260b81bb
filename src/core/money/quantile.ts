// A quantile of numbers, without anything between two of them.

/** The smallest number that at least this share of all numbers does not exceed; `NaN` without numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
