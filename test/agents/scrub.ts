// Makes a recording the same on every machine: paths, ports, ids and times get fixed values. The same id stays the same id.

export type Scrubber = (text: string) => string

const UUID =
  /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/g
const NAMED_ID =
  /\b(ses|msg|prt|call|toolu|resp|fc|rs|req|chatcmpl|response|perm|session|exec)_[0-9A-Za-z]{10,}\b/g
const ISO_TIME = /\b20\d\d-\d\d-\d\d([T-])\d\d[:-]\d\d[:-]\d\d(\.\d+)?/g
const DATE = /\b20[2-9]\d([-/])\d\d[-/]\d\d\b/g
const EPOCH_MS = /\b1[789]\d{11}\b/g
/** A longer text is cut: instructions of an agent are not what a recording is for. */
const LONGEST_TEXT = 300
/** Lists of models and commands are longer than anything that a test looks at. */
const LONGEST_LIST = 4

/** One per agent, so that an id is the same in all of its recordings. */
export function createScrubber(places: Readonly<Record<string, string>>): Scrubber {
  const ids = new Map<string, string>()
  const numbered = (id: string, make: (number: number) => string) => {
    const known = ids.get(id) ?? make(ids.size + 1)
    ids.set(id, known)
    return known
  }
  const longestFirst = Object.entries(places).toSorted(([a], [b]) => b.length - a.length)
  return text => {
    let scrubbed = text
    for (const [path, name] of longestFirst) scrubbed = scrubbed.replaceAll(path, name)
    return scrubbed
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1')
      .replace(UUID, (id, version) =>
        numbered(id, n => `00000000-0000-${version}000-8000-${String(n).padStart(12, '0')}`),
      )
      .replace(NAMED_ID, (id, kind) => numbered(id, n => `${kind}_${String(n).padStart(12, '0')}`))
      .replace(ISO_TIME, (_, separator) =>
        separator === 'T' ? '2026-01-01T00:00:00.000' : '2026-01-01-00-00-00',
      )
      .replace(DATE, (_, separator) => ['2026', '01', '01'].join(separator))
      .replace(EPOCH_MS, '1767225600000')
      .replace(/Chunk ID: \w+\nWall time: [\d.]+/g, 'Chunk ID: 0\nWall time: 0')
  }
}

/** Scrubs every text of a JSON line and cuts the long ones. A line that is no JSON is scrubbed as a whole. */
export function scrubLine(line: string, scrub: Scrubber): string {
  try {
    return JSON.stringify(scrubValue(JSON.parse(line), scrub))
  } catch {
    // Not JSON: agents print such lines too, and the recording keeps them.
    return shortened(scrub(line))
  }
}

export function scrubValue(value: unknown, scrub: Scrubber): unknown {
  if (typeof value === 'string') return shortened(scrub(value))
  if (typeof value === 'number') return Number(scrub(String(value)))
  if (Array.isArray(value))
    return value.slice(0, LONGEST_LIST).map(inner => scrubValue(inner, scrub))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [scrub(key), scrubValue(inner, scrub)]),
  )
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}
