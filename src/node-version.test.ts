import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RepriseError } from './errors.ts'
import { refuseOldNode } from './node-version.ts'

test.each(['0.12.18', '18.20.8', '20.20.2', '21.9.9', '22.0.0', '22.17.1'])(
  'U-4 Node %s is refused with words',
  version => {
    expect(() => refuseOldNode(version)).toThrow(RepriseError)
    expect(() => refuseOldNode(version)).toThrow(
      `reprise needs Node 22.18 or newer; this is ${version}`,
    )
  },
)

test.each(['22.18.0', '22.23.3', '23.0.0', '24.21.0', '100.0.0'])('Node %s will do', version => {
  expect(() => refuseOldNode(version)).not.toThrow()
})

test('U-4 package.json, the library and both parts of the launcher name the same Node', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(JSON.parse(read('../package.json')).engines).toEqual({ node: '>=22.18' })
  for (const path of ['../bin/reprise', '../bin/reprise.js']) {
    expect(read(path)).toContain('reprise needs Node 22.18 or newer')
  }
})
