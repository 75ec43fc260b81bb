// Which pieces of the vault belong to a session, a thread or a job that the store knows.
import type { PieceOwnerVerbs, PiecePlace } from '../../contract/pieces.ts'
import { inChunks } from '../../sql/chunks.ts'
import type { Database } from '../../sql/dialect.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import { join, sql } from '../../sql/statement.ts'
import { placeKey } from './piece-columns.ts'

export function pieceOwnerVerbs(database: Database): PieceOwnerVerbs {
  return {
    async withoutOwner(places) {
      const unowned: PiecePlace[] = []
      for (const some of inChunks(places)) {
        const known = await knownOf(database, some)
        unowned.push(...some.filter(place => !known.has(placeKey(place))))
      }
      return unowned
    },
  }
}

async function knownOf(
  database: Database,
  places: readonly PiecePlace[],
): Promise<ReadonlySet<string>> {
  const sessions = places.flatMap(place => (place.shelf === 'sessions' ? [place] : []))
  const owners = places.flatMap(place => (place.shelf === 'objects' ? [place.owner] : []))
  const known: PiecePlace[] = []
  if (sessions.length > 0) {
    const pairs = sessions.map(({ agent, sessionId }) => sql`(${agent}, ${sessionId})`)
    const rows = await rowsOf(
      database,
      sql<{ agent: string; session_id: string }>`
        select agent, session_id
        from sessions
        where (agent, session_id) in (values ${join(pairs)})
      `,
    )
    for (const { agent, session_id: sessionId } of rows)
      known.push({ shelf: 'sessions', agent, sessionId })
  }
  if (owners.length > 0) {
    const rows = await rowsOf(
      database,
      sql<{ id: string }>`
        select id from threads where id in (${join(owners)})
        union all
        select id from jobs where id in (${join(owners)})
      `,
    )
    for (const { id } of rows) known.push({ shelf: 'objects', owner: id })
  }
  return new Set(known.map(placeKey))
}
