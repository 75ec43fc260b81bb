// The table of rooms in src/README.md, read as the law that it is.

export type Room = {
  /** A folder of `src`, or a file at its root. */
  readonly path: string
  /** The file of the room that a newcomer should open; `null` for a room that is one file. */
  readonly openFirst: string | null
  /** The layer whose permissions count: the room itself, or the row above that has some. */
  readonly layer: string
}

export type Rooms = {
  readonly rooms: readonly Room[]
  /** Layer → folders and files that it may import besides itself. */
  readonly mayImport: ReadonlyMap<string, readonly string[]>
}

export function readRooms(markdown: string): Rooms {
  const rooms: Room[] = []
  const mayImport = new Map<string, readonly string[]>()
  let layer = ''
  for (const line of markdown.split('\n')) {
    const [, room = '', openFirst = '', , permissions = ''] = line
      .split('|')
      .map(cell => cell.trim())
    const [path] = quoted(room)
    if (!line.startsWith('|') || path === undefined) continue
    if (permissions !== '') {
      layer = path
      mayImport.set(path, quoted(permissions))
    }
    rooms.push({ path, openFirst: quoted(openFirst)[0] ?? null, layer })
  }
  return { rooms, mayImport }
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')
}
