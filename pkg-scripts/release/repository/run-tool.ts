import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { HelperError } from '../../../src/runtime/failure.ts'
import { quoteForShell } from '../../../src/runtime/text/quote.ts'

/** Runs a tool to its end, and returns its output. */
export async function runTool(tool: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    return (await promisify(execFile)(tool, args, { cwd, maxBuffer: 2 ** 26 })).stdout
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string } // the form of execFile's errors
    const said = stderr.trim().split('\n').at(-1) || message
    throw new HelperError(
      'not-configured',
      `${tool} failed: ${said}`,
      `see what ${tool} says: ${quoteForShell([tool, ...args])}`,
      { cause },
    )
  }
}
