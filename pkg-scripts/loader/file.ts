import { createLoad, type Packed } from './packed.ts'

declare const packed: Packed

// A program that starts from its text: modules of the runtime are loaded when a member of theirs is first used.
const load = createLoad(packed, new Map(), (id) => ({
  read: (key) => require(id)[key],
  has: (key) => key in require(id),
}))
const { start } = load(packed.entry) as { start(): void }
start()
