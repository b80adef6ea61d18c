import type { KeyObject } from 'node:crypto'
import type { Deadline } from '../../runtime/deadline.ts'

/** The key of one sealed file: 32 bytes. Only the holder of that file's lock creates and removes it. */
export interface SealingKey {
  /** Its place, as messages name it. */
  readonly where: string
  /**
   * Reads the key; `undefined` if it is missing, or if the stored text is not a key.
   * @throws {HelperError} if it cannot be read, or another user could have written it.
   */
  read(deadline: Deadline): Promise<KeyObject | undefined>
  /** Replaces it with a new key, which is stored before it is used. @throws {HelperError} if it cannot be stored. */
  create(deadline: Deadline): Promise<KeyObject>
  /** Removes it. A text that it has sealed can never be opened again. */
  forget(deadline: Deadline): Promise<void>
}
