// 21: the pieces of the vault, where the database keeps them. Equal content is stored once, in parts of bounded size.
import type { Dialect } from '../dialect.ts'

export const vaultPieces = (dialect: Dialect): readonly string[] => [
  `create table vault_contents (
    digest text primary key,
    bytes bigint not null
  )`,
  `create table vault_parts (
    digest text not null references vault_contents (digest) on delete cascade,
    part integer not null,
    packed ${dialect.bytes} not null,
    primary key (digest, part)
  )`,
  `create table vault_pieces (
    shelf text not null,
    owner text not null,
    name text not null,
    piece text not null,
    digest text not null references vault_contents (digest),
    at bigint not null,
    primary key (shelf, owner, name, piece)
  ) ${dialect.keyed}`,
  'create index vault_pieces_by_digest on vault_pieces (digest)',
]
