import type { StoreFiles } from './locate-store.ts'
import type { SealingKey } from './sealing/sealing-key.ts'

/** Where a sealed sign-in and its key are. */
export interface SealedPlace {
  readonly files: StoreFiles
  readonly key: SealingKey
}
