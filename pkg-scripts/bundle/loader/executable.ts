import { getRawAsset } from 'node:sea'
import { findHelperChoice } from '../../../src/suite/choose-helper.ts'
import { type Compiled, start } from './packed.ts'

declare const packed: {
  readonly entry: string
  /** Whether each piece lies there compiled as well. */
  readonly isCached: boolean
  /** Those with an early piece of their own. */
  readonly helpers: readonly string[]
}

function find(name: string): Compiled {
  const code = Buffer.from(getRawAsset(name)).toString('latin1')
  return { code, cache: packed.isCached ? new Uint8Array(getRawAsset(`${name}.cache`)) : undefined }
}

const choice = findHelperChoice(packed.helpers, [process.argv0, process.execPath], process.argv.slice(2))
const findEarly = () => find(choice ? `early ${choice.name}` : 'early')
start({ entry: packed.entry, findEarly, findLate: find }, require)
