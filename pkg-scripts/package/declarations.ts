import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { root } from '../tree.ts'

/** Writes the types of the library: the declarations that its modules reach, in the folders of the sources. */
export function writeDeclarations(directory: string): void {
  const emitted = mkdtempSync(join(tmpdir(), 'declarations-'))
  try {
    runCompiler(emitted)
    const sources = join(emitted, 'src')
    const doors = readdirSync(join(sources, 'library')).map((file) => join(sources, 'library', file))
    for (const [path, text] of collectDeclarations(doors)) {
      const target = join(directory, relative(sources, path))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}

function runCompiler(directory: string): void {
  const args = ['--project', import.meta.dirname, '--outDir', directory]
  const { status, stdout, error } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), args, {
    encoding: 'utf8',
    // A batch file on Windows.
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`the types cannot be written: ${stdout}`, { cause: error })
}

/** Declarations by path. They import each other as the modules of a package do, which every resolution of TypeScript finds. */
function collectDeclarations(doors: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const paths = new Set(doors)
  for (const path of paths) {
    const text = readFileSync(path, 'utf8').replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, (_, quote, module) => {
      paths.add(join(dirname(path), `${module}.d.ts`))
      return `${quote}${module}.js${quote}`
    })
    found.set(path, text)
  }
  return found
}
