import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistory } from './history.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-history-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const open = () => openHistory({ env: { REPRISE_HOME: home } })
const file = () => join(home, 'chat-history')

test('what was typed comes back in the next chat, the latest first, with its lines', () => {
  const history = open()
  for (const text of ['one', 'two\nlines', 'two\nlines', ' ']) history.add(text)
  expect(history.latestFirst()).toEqual(['two\nlines', 'one'])
  expect(open().latestFirst()).toEqual(['two\nlines', 'one'])
})

test('the file is for the owner alone and holds no secrets', () => {
  open().add(
    'use sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  )
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(readFileSync(file(), 'utf8')).not.toContain('aaaaaaaaaa')
})

test('it is bounded, and lines that are none are passed by', () => {
  for (let n = 0; n < 600; n += 1) appendFileSync(file(), `"${n}"\n`)
  appendFileSync(file(), 'half a li\n{"no":"text"}\n')
  const latest = open().latestFirst()
  expect([latest.length, latest[0]]).toEqual([500, '599'])
  expect(readFileSync(file(), 'utf8').trimEnd().split('\n')).toHaveLength(500)
})

test('a chat works where nothing can be written', () => {
  const history = openHistory({ env: { REPRISE_HOME: join(home, 'none') } })
  history.add('one')
  expect(history.latestFirst()).toEqual(['one'])
})
