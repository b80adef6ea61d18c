import type { AnyHelper } from './define-helper.ts'

/** The helpers that a program holds, by their names, each loaded on use. */
export type OtherHelpers = ReadonlyMap<string, () => Promise<AnyHelper>>
