import type { WindowsLibraries } from '../../../../runtime/foreign/windows-libraries.ts'
import type { ChildAnswer, ChildRequest } from '../exchange/messages.ts'
import type { MacosLibraries } from '../macos/macos-libraries.ts'

/** Which process asks, and which is asked. */
export interface Processes {
  readonly child: number
  readonly parent: number
}

/** The system whose keychain is asked; tests name libraries of their own. */
export type KeychainSystem =
  | { readonly platform: 'darwin'; readonly libraries?: MacosLibraries }
  | { readonly platform: 'win32'; readonly libraries?: WindowsLibraries }

/** Answers a request through the system's libraries. Their calls block this process, which its parent ends. */
export async function answerRequest(
  system: KeychainSystem,
  request: ChildRequest,
  { child, parent }: Processes,
): Promise<ChildAnswer> {
  const ffi = await import('node:ffi')
  if (system.platform === 'win32') {
    const { answerOnWindows } = await import('../windows/answer-windows.ts')
    const { findWindowsLibraries } = await import('../../../../runtime/foreign/windows-libraries.ts')
    return answerOnWindows(ffi, system.libraries ?? findWindowsLibraries(ffi), request)
  }
  const { answerOnMacos } = await import('../macos/answer-macos.ts')
  const { macosLibraries } = await import('../macos/macos-libraries.ts')
  const { openMacosProcess } = await import('../macos/macos-process.ts')
  const libraries = system.libraries ?? macosLibraries
  const self = openMacosProcess(ffi, libraries.system)
  self.endAfter(request.limitSec)
  // The keychain gives an item to the program that has stored it and asks a person about every other one. Whoever could start
  // this process in place of the program would be that program. Windows gives a user's items to all programs of the user.
  if (!self.isStartedBySameCode(child, parent)) return { state: 'stranger' }
  return answerOnMacos(ffi, libraries, request)
}
