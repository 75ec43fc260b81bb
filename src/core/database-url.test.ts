import { expect, test } from 'vitest'
import { isPostgresUrl, readDatabaseUrl } from './database-url.ts'

test.each([
  ['postgres://u:secret@host:5433/db?sslmode=require', 'postgres://u@host:5433/db'],
  ['postgresql://host/db', 'postgres://host/db'],
  ['postgres://u:s%40cret@host/db?password=other', 'postgres://u@host/db'],
  ['postgres:///db?host=/run/postgresql', 'postgres:///db'],
])('the place of %s is shown without its password', (text, place) => {
  expect(isPostgresUrl(text)).toBe(true)
  expect(readDatabaseUrl(text)).toEqual({ url: text, place })
})

test.each([
  ['mysql://u:secret@host/db', 'does not begin with postgres://'],
  ['u:secret@host/db', 'does not begin with postgres://'],
  ['postgres://u:sec/ret@host:99999999/db', 'is not a valid URL'],
  ['postgres://u:secret@host:port/db', 'is not a valid URL'],
  ['postgres:///db', 'names no host'],
  ['postgres://u:50%secret@host/db', 'has a % in its user or password that is not written as %25'],
])('%s is refused without showing the password', (text, problem) => {
  expect(readDatabaseUrl(text)).toEqual({ problem })
})
