// Where pieces of the vault belong, as columns.
import type { PiecePlace } from '../../contract/pieces.ts'
import type { VaultPieceRow } from '../../sql/schema.ts'

export function placeKey(place: PiecePlace): string {
  return JSON.stringify(Object.values(pieceColumns(place)))
}

export function pieceColumns(place: PiecePlace): Pick<VaultPieceRow, 'shelf' | 'owner' | 'name'> {
  const { shelf } = place
  return shelf === 'sessions'
    ? { shelf, owner: place.agent, name: place.sessionId }
    : { shelf, owner: place.owner, name: '' }
}

export function placeOfPiece({ shelf, owner, name }: ReturnType<typeof pieceColumns>): PiecePlace {
  return shelf === 'sessions'
    ? { shelf, agent: owner, sessionId: name }
    : { shelf: 'objects', owner }
}
