import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { renderAnsibleTasks } from '../../../../src/config/render/management/ansible.ts'
import { toManagedFile, toPreferences } from '../../../../src/config/render/management/unix-detection.ts'
import { createDocument } from './documents.ts'
import { createStage, moveTo, type Stage, settingsPaths } from './machine-stage.ts'

const toTasks = (result: ReturnType<typeof createDocument>) =>
  renderAnsibleTasks({ linux: toManagedFile(result)!, macos: toPreferences(result)! })

/** Writes a play with the tasks, for this machine, whose folders are those of the stage. */
async function writePlay(stage: Stage) {
  const result = createDocument(stage.helper)
  await writeFile(stage.toPath('vendor.json'), '{ "name": "Example" }\n')
  await writeFile(stage.toPath('tasks.yml'), moveTo(stage, toTasks(result)))
  const play = {
    hosts: 'localhost',
    connection: 'local',
    gather_facts: true,
    gather_subset: ['!all', '!min', 'platform'],
    vars: { gatepass_vendor_file: stage.toPath('vendor.json'), gatepass_settings: { 'client-ttl': 3600 } },
    tasks: [{ 'ansible.builtin.import_tasks': 'tasks.yml' }],
  }
  await writeFile(stage.toPath('play.yml'), JSON.stringify([play]))
  return toManagedFile(result)!.text
}

/** Runs the play, and returns its status, how many tasks changed something, and how the machine differed before. */
async function runPlay({ root }: Stage, ...flags: string[]) {
  const env = {
    HOME: root,
    PATH: process.env.PATH,
    ANSIBLE_LOCALHOST_WARNING: 'False',
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_PIPELINING: 'True',
    LC_ALL: 'C.UTF-8',
  }
  const args = ['-i', 'localhost,', join(root, 'play.yml'), ...flags]
  const { exitCode, stdout } = await execa('ansible-playbook', args, {
    env,
    cwd: root,
    extendEnv: false,
    reject: false,
  })
  return {
    status: exitCode,
    changed: Number(/changed=(\d+)/.exec(stdout)?.[1]),
    before: /"gatepass_before.stdout": "(.*)"/.exec(stdout)?.[1],
  }
}

test('the tasks install, repair what differs, and change nothing with --check', async () => {
  const stage = await createStage()
  const text = await writePlay(stage)
  const file = stage.toPath(settingsPaths.managedFile)

  const installing = await runPlay(stage)
  expect({ ...installing, before: installing.before?.slice(0, 26) }).toEqual({
    status: 0,
    changed: 5,
    before: 'not as exported: missing: ',
  })
  const machine = stage.toPath('/etc/gatepass')
  const installed = [file, join(machine, 'vendor.json'), join(machine, 'helper.json')]
  const [managed, vendorFile, settings] = await Promise.all(installed.map((path) => readFile(path, 'utf8')))
  expect([managed, vendorFile, JSON.parse(settings!)]).toEqual([
    text,
    '{ "name": "Example" }\n',
    { 'client-ttl': 3600 },
  ])
  expect(await Promise.all(installed.map(async (path) => (await stat(path)).mode & 0o777))).toEqual([
    0o644, 0o644, 0o644,
  ])

  const changed = text.replace('gateway.example.com', 'elsewhere.example.com')
  await writeFile(file, changed)
  await chmod(file, 0o666)
  await rm(stage.helper)
  expect(await runPlay(stage, '--check')).toEqual({
    status: 0,
    changed: 1,
    before: `not as exported: differs: inferenceGatewayBaseUrl; not enforced: ${file}; helper missing: ${stage.helper}`,
  })
  expect(await readFile(file, 'utf8')).toBe(changed)
})
