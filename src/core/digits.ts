// Whole numbers with their thousands apart.

/** Not `toLocaleString`, whose first call in a process takes 16 ms. */
export function digits(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',')
}

/** A number with its noun: `1 run`, `2 runs`. */
export function counted(value: number, noun: string): string {
  return `${digits(value)} ${noun}${value === 1 ? '' : 's'}`
}
