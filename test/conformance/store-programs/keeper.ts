// Copies a growing session file without end; prints how much of it the vault holds. Made to be killed.
import { appendFileSync, writeSync } from 'node:fs'
import { createVault } from '../../../src/vault/vault.ts'
import { openPieces } from './open-store.ts'

const [place = '', file = ''] = process.argv.slice(2)
const vault = createVault(await openPieces(place))
for (let line = 0; ; line += 1) {
  appendFileSync(file, `${'x'.repeat(line % 2_000)} ${line}\n`)
  writeSync(1, `${await vault.keep({ agent: 'x', sessionId: 'killed' }, file)}\n`)
}
