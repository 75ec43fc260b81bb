// The binary we name must be the one better-sqlite3 would have taken itself.
import { createRequire } from 'node:module'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { usualBinding } from './sqlite-binding.ts'

test('the binary that is named is the one better-sqlite3 finds by itself', () => {
  new Database(':memory:').close()
  const named = usualBinding()
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter(isBinary)
  if (named !== null) expect(loaded).toEqual([named])
})

const isBinary = (path: string) => path.endsWith('.node') && path.includes('better-sqlite3')
