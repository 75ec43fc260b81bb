// What a person typed in earlier chats: a file of JSON lines in the data directory, for the owner alone, without secrets.
import { appendFileSync, chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeDirectory } from '../../config/home.ts'
import { redact } from '../../core/secrets/redact.ts'
import type { Io } from '../start/io.ts'

export type History = {
  /** The latest first, as a reader of lines wants it. */
  latestFirst(): readonly string[]
  add(text: string): void
}

const MOST_KEPT = 500
const MOST_CHARS = 10_000

/** A chat works without its history, so a file that cannot be read or written is no error. */
export function openHistory({ env }: Pick<Io, 'env'>): History {
  const path = join(homeDirectory(env), 'chat-history')
  const typed = readTyped(path)
  if (typed.length > MOST_KEPT) {
    typed.splice(0, typed.length - MOST_KEPT)
    quietly(() => rewrite(path, typed))
  }
  return {
    latestFirst: () => typed.toReversed(),
    add(text) {
      const kept = redact(text.slice(0, MOST_CHARS))
      if (kept.trim() === '' || kept === typed.at(-1)) return
      typed.push(kept)
      quietly(() => {
        appendFileSync(path, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
        chmodSync(path, 0o600)
      })
    },
  }
}

function readTyped(path: string): string[] {
  const typed: string[] = []
  quietly(() => {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      quietly(() => {
        const text: unknown = line === '' ? null : JSON.parse(line)
        if (typeof text === 'string') typed.push(text)
      })
    }
  })
  return typed
}

/** In one step, because another chat may read it. What that one adds meanwhile is lost from the file, not from its chat. */
function rewrite(path: string, typed: readonly string[]): void {
  const next = `${path}.${process.pid}`
  writeFileSync(next, typed.map(text => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 })
  renameSync(next, path)
}

function quietly(act: () => void): void {
  try {
    act()
  } catch {
    // The chat goes on without.
  }
}
