// Compares versions of agents.

/** Whether a version like `2.1.197` is `other` or came after it. */
export function isAtLeast(version: string, other: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  for (let i = 0; i < 3; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(part => Number.parseInt(part, 10) || 0)
}
