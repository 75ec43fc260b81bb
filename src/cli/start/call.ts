// What a verb is, and how it is loaded when it is called.
import type { Io } from './io.ts'

export type Verb<Input extends readonly unknown[]> = (io: Io, ...input: Input) => Promise<number>

export type VerbCall = <Input extends readonly unknown[]>(
  load: () => Promise<Verb<Input>>,
) => (...input: Input) => Promise<void>
