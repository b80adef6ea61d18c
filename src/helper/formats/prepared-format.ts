import type { OutputWriter } from '../../contract/formats/output-writer.ts'
import type { AnyHelper } from '../define-helper.ts'

/** What a client of other formats wants of this run. */
export type PreparedFormat =
  /** A credential, printed by the writer. The helper is the declared one, or one that gives another credential of the same source. */
  | {
      readonly work: 'credential'
      readonly helper: AnyHelper
      readonly writer: OutputWriter
      /** What it means that a process of the client runs us again before the end that it was told. */
      readonly repetition?: 'refusal'
    }
  /** No output: it asks for what is not ours. */
  | { readonly work: 'nothing' }
  /** That a refused token is not served again; `undefined` for any. */
  | { readonly work: 'removal'; readonly refused: string | undefined }
