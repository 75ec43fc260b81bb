// The pieces of a session file: each is named by the bytes that it covers. They overlap when two processes copied at once.

export type Segment = {
  readonly name: string
  /** Grows when a session file was rewritten instead of continued. */
  readonly generation: number
  /** Bytes `[from, to)` of the file. */
  readonly from: number
  readonly to: number
}

const NAME = /^(\d{1,9})\.(\d{1,15})\.(\d{1,15})$/

export function parseName(name: string): Segment | null {
  const match = NAME.exec(name)
  if (!match) return null
  const [generation, from, to] = match.slice(1).map(Number) as [number, number, number]
  return to > from ? { name, generation, from, to } : null
}

export function nameOf({ generation, from, to }: Omit<Segment, 'name'>): string {
  return `${generation}.${from}.${to}`
}

/** The pieces of the latest generation that reach furthest from the beginning without a gap, in order. */
export function wholeOf(names: readonly string[]): readonly Segment[] {
  const all = names.map(parseName).filter(segment => segment !== null)
  const generation = Math.max(0, ...all.map(segment => segment.generation))
  const sorted = all
    .filter(segment => segment.generation === generation)
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
  /** Each end that can be reached, with the piece before it. */
  const reached = new Map<number, Segment | null>([[0, null]])
  let end = 0
  for (const segment of sorted) {
    if (!reached.has(segment.from) || reached.has(segment.to)) continue
    reached.set(segment.to, segment)
    end = Math.max(end, segment.to)
  }
  const whole: Segment[] = []
  for (let last = reached.get(end); last; last = reached.get(last.from)) whole.push(last)
  return whole.toReversed()
}
