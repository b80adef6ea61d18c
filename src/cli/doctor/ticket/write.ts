import { lstat, rm, writeFile } from 'node:fs/promises'
import { HelperError, toOneLine } from '../../../runtime/failure.ts'
import type { Cli } from '../../cli.ts'
import { type Examined, renderTicket } from './render.ts'

/** Where a ticket goes, as the command line says. */
export interface TicketFlags {
  readonly report?: string
  readonly force?: true
}

/**
 * Refuses before anything is run what cannot be written afterwards.
 * @throws {HelperError} `usage` for `--force` alone, `refused` for a file that exists.
 */
export async function refuseReport({ report, force }: TicketFlags): Promise<void> {
  if (report === undefined && force)
    throw new HelperError(
      'usage',
      '--force is for the file of --report',
      'name that file with --report, or leave it out',
    )
  if (report === undefined || force) return
  const isThere = await lstat(report).then(
    () => true,
    () => false, // not there, or in a folder that cannot be read, which writing says
  )
  if (isThere) throw new HelperError('refused', `${report} exists already`, 'name another file, or pass --force')
}

/** Writes the file for a support ticket, which only its owner can read. @throws {HelperError} `refused` */
export async function writeTicket(cli: Cli, { report, force }: TicketFlags, examined: Examined): Promise<void> {
  if (report === undefined) return
  const text = await renderTicket(cli, examined)
  try {
    // A new file, because an existing one would keep its permissions, and a link would lead elsewhere.
    if (force) await rm(report, { force: true })
    await writeFile(report, text, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError('refused', `${report} cannot be written (${code})`, 'name another file with --report', {
      cause,
    })
  }
  cli.terminal.tell(`The report is in ${toOneLine(report)}: read it before you send it.\n`)
}
