import type { KeyObject } from 'node:crypto'
import { decodeSealed, encodeSealed } from '../../keychain/sealing/seal.ts'
import { parseSealedFile, renderHeader, sealedFormat } from './sealing/sealed-file.ts'
import type { KeyName } from './sealing/sealed-place.ts'
import type { StoredSignIn } from './sign-in-store.ts'
import { parseSignIn, renderSignIn } from './sign-in-text.ts'

/** The text of a sealed file. @param purpose See `StoreFiles`. */
export function renderSealedSignIn(
  signIn: StoredSignIn,
  purpose: string,
  key: { readonly value: KeyObject; readonly name: KeyName },
): string {
  const header = renderHeader(signIn.id, key.name)
  return `${header}\n${encodeSealed(renderSignIn(signIn), key.value, `${purpose}\n${header}`)}\n`
}

/**
 * Opens the text of a sealed file, whose first line is sealed with the second.
 * @returns otherwise what is wrong with it, as the end of a sentence about the file.
 */
export function parseSealedSignIn(
  text: string,
  purpose: string,
  key: { readonly value: KeyObject | undefined; readonly where: string },
): StoredSignIn | { readonly problem: string } {
  const file = parseSealedFile(text)
  if (!file) return { problem: 'is damaged' }
  if (file.format !== sealedFormat) return { problem: 'is of another version of this program' }
  if (!key.value) return { problem: `cannot be opened, because its key ${key.where} is missing or damaged` }
  const opened = decodeSealed(file.body, key.value, `${purpose}\n${file.header}`)
  if (opened === undefined) return { problem: `is damaged, or does not belong to its key ${key.where}` }
  return parseSignIn(opened) ?? { problem: 'is damaged' }
}
