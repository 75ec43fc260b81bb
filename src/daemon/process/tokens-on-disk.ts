// Reads the tokens of a data directory as they are now, so that creating, revoking and rotating need no restart.
import { statSync } from 'node:fs'
import { type Caller, EXPOSED_CALLER, hashOfToken, isSame, type Tokens } from '../caller.ts'
import { readOrCreateToken, readToken, tokenPath } from './token.ts'
import { idOfToken, readTokenRecord } from './token-records.ts'

export function tokensOnDisk(home: string): Tokens {
  let main = hashOfToken(readOrCreateToken(home))
  let seen = stampOf(tokenPath(home))

  const mainHash = () => {
    const stamp = stampOf(tokenPath(home))
    if (stamp === seen || stamp === null) return main
    main = readAgain(home) ?? main
    seen = stamp
    return main
  }

  const callerOf = (token: string): Caller | null => {
    const given = hashOfToken(token)
    const id = idOfToken(token)
    if (id === null) return isSame(mainHash(), given) ? EXPOSED_CALLER : null
    const record = readTokenRecord(home, id)
    if (record === null || !isSame(Buffer.from(record.hash, 'hex'), given)) return null
    return { name: id, scopes: record.scopes }
  }

  return {
    callerOf,
    hashOf: id => {
      if (id === null) return mainHash()
      const record = idOfToken(id) === null ? null : readTokenRecord(home, id)
      return record && Buffer.from(record.hash, 'hex')
    },
  }
}

/** When others may have read or written the file, the token before stays in force. */
function readAgain(home: string): Buffer | null {
  try {
    const token = readToken(home)
    return token === null ? null : hashOfToken(token)
  } catch {
    return null // `reprise doctor` reports what is wrong with the file.
  }
}

function stampOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.ino} ${stat.mtimeNs} ${stat.mode}`
}
