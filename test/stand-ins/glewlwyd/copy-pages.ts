import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

const shared = '/usr/share'

/** The files of the sign-in pages. */
const files: Readonly<Record<string, string>> = {
  'login.html': 'glewlwyd/webapp/login.html',
  'login.js': 'glewlwyd/webapp/login.js',
  'favicon.ico': 'glewlwyd/webapp/favicon.ico',
  locales: 'glewlwyd/webapp/locales',
  img: 'glewlwyd/webapp/img',
  'config.json': 'glewlwyd/templates/config.json',
  'js/jquery.min.js': 'javascript/jquery/jquery.min.js',
  'js/popper.min.js': 'nodejs/popper.js/dist/umd/popper.min.js',
  'js/bootstrap.min.js': 'nodejs/bootstrap/dist/js/bootstrap.min.js',
  'css/bootstrap.min.css': 'nodejs/bootstrap/dist/css/bootstrap.min.css',
  'css/glewlwyd.css': 'glewlwyd/webapp/css/glewlwyd.css',
}

/** Copies the sign-in pages into one folder: Debian's has links out of it, which glewlwyd does not serve. */
export async function copyPages(directory: string): Promise<void> {
  for (const folder of ['js', 'css']) await mkdir(join(directory, folder), { recursive: true })
  await Promise.all(
    Object.entries(files).map(([to, from]) => cp(join(shared, from), join(directory, to), { recursive: true })),
  )
}
