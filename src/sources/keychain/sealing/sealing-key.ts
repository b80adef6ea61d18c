import type { KeyObject } from 'node:crypto'
import type { Deadline } from '../../../runtime/deadline.ts'

/** The key of one sealed file: 32 bytes. Only the holder of that file's lock creates and forgets it. */
export interface SealingKey {
  /** Where it is, as messages name it. */
  readonly where: string
  /**
   * `undefined` where there is none, or what is there is no key.
   * @throws {HelperError} where it cannot be read, or another user could have written it.
   */
  read(deadline: Deadline): Promise<KeyObject | undefined>
  /** Replaces it by a new one, which is kept before it is used. @throws {HelperError} where it cannot be kept. */
  create(deadline: Deadline): Promise<KeyObject>
  /** Removes it: what it has sealed can never be opened again. */
  forget(deadline: Deadline): Promise<void>
}
