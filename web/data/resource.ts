// Something a view shows: read once, shown from memory when one comes back, read again when the feed says that it changed.
import { useEffect, useReducer, useRef } from 'preact/hooks'
import { RepriseError } from '../../src/errors.ts'
import { isSignedOut } from '../browser/sign-in.ts'
import { listen, type Topic } from '../feed/topics.ts'

export type Resource<T> = {
  /** Also while it is read again; `undefined` before the first answer. */
  readonly value: T | undefined
  readonly error: RepriseError | null
  readonly refresh: () => void
}

type Entry = { value: unknown; error: RepriseError | null }

const MOST_KEPT = 200
const TOGETHER_MS = 120

const kept = new Map<string, Entry>()

/** `name` says what is read, so that two views of the same thing agree; `null` reads nothing. */
export function useResource<T>(
  name: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  topics: readonly Topic[] = [],
): Resource<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const latest = useRef(load)
  latest.current = load
  const refresh = useRef(() => {})
  const followed = topics.join(' ')

  useEffect(() => {
    if (name === null) return
    const reading = new Reading(
      name,
      signal => latest.current(signal),
      () => redraw(undefined),
    )
    refresh.current = reading.soon
    reading.now()
    const stop = listen(followed === '' ? [] : followed.split(' '), reading.soon)
    return () => {
      stop()
      reading.end()
    }
  }, [name, followed])

  const entry = name === null ? undefined : kept.get(name)
  return {
    value: entry?.value as T | undefined,
    error: entry?.error ?? null,
    refresh: () => refresh.current(),
  }
}

/** At most one request at a time; changes that come close together cause one. */
class Reading {
  readonly #name: string
  readonly #load: (signal: AbortSignal) => Promise<unknown>
  readonly #redraw: () => void
  readonly #ending = new AbortController()
  #timer: ReturnType<typeof setTimeout> | null = null
  #isReading = false
  #isStale = false

  constructor(name: string, load: (signal: AbortSignal) => Promise<unknown>, redraw: () => void) {
    this.#name = name
    this.#load = load
    this.#redraw = redraw
  }

  readonly soon = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.now()
    }, TOGETHER_MS)
  }

  now(): void {
    this.#isStale = true
    if (!this.#isReading) void this.#read()
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#ending.abort()
  }

  async #read(): Promise<void> {
    this.#isReading = true
    while (this.#isStale && !this.#ending.signal.aborted) {
      this.#isStale = false
      const entry = await this.#answer()
      if (this.#ending.signal.aborted) return
      keep(this.#name, entry)
      this.#redraw()
    }
    this.#isReading = false
  }

  async #answer(): Promise<Entry> {
    try {
      return { value: await this.#load(this.#ending.signal), error: null }
    } catch (error) {
      // What was shown stays: an old value with a word about the trouble beats an empty page.
      return { value: kept.get(this.#name)?.value, error: asKnown(error) }
    }
  }
}

export function asKnown(error: unknown): RepriseError {
  const known =
    error instanceof RepriseError
      ? error
      : new RepriseError('internal', String(error), 'Reload the page.')
  if (known.code === 'unauthorized') isSignedOut.value = true
  return known
}

function keep(name: string, entry: Entry): void {
  kept.delete(name)
  kept.set(name, entry)
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}
