import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'
import { ZipFile } from 'yazl'

/** One file of an archive. Owner and time are the same for all, so that the same content gives the same bytes. */
export interface ArchivedFile {
  readonly path: string
  readonly content: Buffer
  readonly mode: number
}

/** Renders a tar archive whose files belong to root. */
export async function renderTar(files: readonly ArchivedFile[], time: Date): Promise<Buffer> {
  const tar = pack()
  const whole = buffer(tar)
  for (const { path, content, mode } of files)
    tar.entry({ name: path, mode, mtime: time, uid: 0, gid: 0, uname: 'root', gname: 'root' }, content)
  tar.finalize()
  return whole
}

/** Renders a ZIP archive for Windows, without modes. Level 0 is raised to 1, because 0 would not compress. */
export async function renderZip(files: readonly ArchivedFile[], time: Date, level: number): Promise<Buffer> {
  const zip = new ZipFile()
  const compressionLevel = Math.max(1, level)
  // The format stores local time; this archive always stores UTC.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
  const options = { mtime, forceDosTimestamp: true, mode: 0o644, compressionLevel }
  for (const { path, content } of files) zip.addBuffer(content, path, options)
  zip.end()
  return buffer(zip.outputStream)
}

/**
 * Compresses with a single thread, because the output of several threads depends on the machine. Distant repetitions need a window of that
 * size: `windowMiB` enlarges the level's window.
 */
export async function compressXz(content: Buffer, level: number, windowMiB?: number): Promise<Buffer> {
  const filter = windowMiB === undefined ? `-${level}` : `--lzma2=preset=${level},dict=${windowMiB}MiB`
  const xz = spawn('xz', [filter, '--threads=1', '--stdout'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [whole] = await Promise.all([buffer(xz.stdout), pipeline([content], xz.stdin)])
  return whole
}
