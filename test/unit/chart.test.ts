import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'

import { pools, settings } from '../../config.ts'
import { examples, type Manifest, render, run } from '../support/chart.ts'
import { writeSchemas } from '../support/schemas.ts'
import { helm, kubeconform, output, promtool, type Tool } from '../support/tools.ts'

/** Helm is built from its sources where it is not installed. */
const BUILD_MS = 900_000
const RUN_MS = 60_000

type Container = {
  name: string
  image: string
  args: string[]
  env: { name: string; value?: string; valueFrom?: object }[]
  securityContext: { seccompProfile?: { type: string } }
  resources: { limits?: { memory?: string } }
  livenessProbe?: object
  readinessProbe?: object
}
type Pod = {
  containers: Container[]
  securityContext: object
  automountServiceAccountToken: boolean
  terminationGracePeriodSeconds?: number
}
type Scaler = {
  scaleTargetRef: { name: string }
  minReplicaCount: number
  maxReplicaCount: number
  triggers: {
    type: string
    metricType: string
    metadata: Record<string, string>
    authenticationRef?: { name: string }
  }[]
}

let tool: Tool
const rendered = new Map<string, Manifest[]>()
beforeAll(async () => {
  tool = await helm()
  if (!tool.path) return
  for (const example of examples) rendered.set(example, await render(tool.path, example))
}, BUILD_MS)

/** Helm, or the test is skipped, and says why. */
function needed(context: { skip: (why: string) => never }, wanted = tool): string {
  return wanted.path ?? context.skip(wanted.why)
}

const objects = (example: string, kind: string) => rendered.get(example)!.filter((each) => each.kind === kind)
const podOf = ({ spec }: Manifest) => (spec['template'] as { spec: Pod }).spec
const envOf = (container: Container) =>
  Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
const workloads = (example: string) => [...objects(example, 'Deployment'), ...objects(example, 'Job')]

describe.each(examples)('the example %s', (example) => {
  test('passes helm lint', { timeout: RUN_MS }, async (context) => {
    const { code, stdout } = await run(needed(context), 'lint', example)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 chart(s) failed') })
  })

  test('has no two objects of one name, and the same labels on all', (context) => {
    needed(context)
    const all = rendered.get(example)!
    expect(new Set(all.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size).toBe(all.length)
    for (const { kind, metadata } of all)
      expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
        'app.kubernetes.io/name': 'seo-suite',
        'app.kubernetes.io/instance': 'seo',
        'app.kubernetes.io/managed-by': 'Helm',
      })
  })

  test('gives containers no rights that they do not need', (context) => {
    needed(context)
    for (const workload of workloads(example)) {
      const pod = podOf(workload)
      expect(pod).toMatchObject({
        securityContext: { runAsNonRoot: true },
        automountServiceAccountToken: false,
      })
      for (const container of pod.containers) {
        expect(container, `of ${container.name}`).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { limits: { memory: expect.any(String) } },
        })
        const isFree = container.image.endsWith('-browser') || container.name === 'migrate'
        const profiles = isFree ? [undefined, 'Unconfined', 'Localhost'] : ['RuntimeDefault']
        expect(profiles, `of ${container.name}`).toContain(container.securityContext.seccompProfile?.type)
      }
    }
  })

  test('tells processes only what they understand, and leaves them time to end', (context) => {
    needed(context)
    const known = new Set([...Object.keys(settings.shape), 'HOME', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE'])
    const foreign = (name: string) => !known.has(name) && !name.startsWith('OTEL_')
    for (const { data = {} } of objects(example, 'ConfigMap').filter(
      ({ metadata }) => metadata.name === 'seo-seo-suite',
    ))
      expect(Object.keys(data).filter(foreign)).toEqual([])
    for (const deployment of objects(example, 'Deployment')) {
      const pod = podOf(deployment)
      for (const container of pod.containers) {
        expect(container.env.map(({ name }) => name).filter(foreign)).toEqual([])
        const grace = Number(envOf(container)['SHUTDOWN_GRACE_SECONDS'])
        // What is closed after it, and the API's pause before it.
        expect(pod.terminationGracePeriodSeconds! - grace).toBeGreaterThanOrEqual(10)
        expect(container).toMatchObject({
          livenessProbe: { httpGet: { path: '/livez', port: 'metrics' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
        })
      }
    }
  })

  test('serves each pool', (context) => {
    needed(context)
    const served = objects(example, 'Deployment').flatMap((deployment) =>
      (envOf(podOf(deployment).containers[0]!)['WORKER_POOLS'] ?? '').split(',').filter(Boolean),
    )
    expect(served.toSorted()).toEqual([...pools].toSorted())
  })

  test('keeps workers from private addresses, and lets them out to public ones', (context) => {
    needed(context)
    const policy = objects(example, 'NetworkPolicy').find(({ metadata }) =>
      metadata.name.endsWith('-workers'),
    )!
    const [world] = policy.spec['egress'] as { to: { ipBlock: { cidr: string; except: string[] } }[] }[]
    const [ipv4] = world!.to
    expect(ipv4!.ipBlock.cidr).toBe('0.0.0.0/0')
    for (const range of [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '100.64.0.0/10',
      '127.0.0.0/8',
    ])
      expect(ipv4!.ipBlock.except).toContain(range)
    expect(policy.spec['policyTypes']).toEqual(['Egress'])
  })

  test('migrates before anything else', (context) => {
    needed(context)
    const [job] = objects(example, 'Job')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    expect(podOf(job!).containers[0]?.args).toEqual(['node', 'sql/migrate.ts'])
  })
})

describe('scaling', () => {
  test('is left to whoever scales', (context) => {
    needed(context)
    for (const example of ['medium', 'large'])
      expect(
        objects(example, 'Deployment')
          .filter(({ spec }) => 'replicas' in spec)
          .map(({ metadata }) => metadata.name),
      ).toEqual(['seo-seo-suite-clock'])
    expect(objects('small', 'Deployment').map(({ spec }) => spec['replicas'])).toEqual([1, 1, 1])
    expect(objects('small', 'ScaledObject')).toEqual([])
  })

  test('asks the database, counts for each process, and keeps somebody for those who wait', (context) => {
    needed(context)
    const scalers = objects('medium', 'ScaledObject')
    const deployments = objects('medium', 'Deployment').map(({ metadata }) => metadata.name)
    expect(scalers.map(({ metadata }) => metadata.name)).toEqual(
      deployments.filter((name) => name.includes('-worker-')),
    )
    const smallest = Object.fromEntries(
      scalers.map(({ metadata, spec }) => [
        metadata.name.split('-').at(-1),
        (spec as Scaler).minReplicaCount,
      ]),
    )
    expect(smallest).toEqual({ crawl: 0, render: 0, scrape: 0, interactive: 2, alerts: 1, maintenance: 1 })
    const [authentication] = objects('medium', 'TriggerAuthentication')
    expect(authentication?.spec['secretTargetRef']).toEqual([
      { parameter: 'connection', name: 'seo-suite-database', key: 'keda' },
    ])
    for (const { spec } of scalers) {
      const { triggers, scaleTargetRef } = spec as Scaler
      const pool = scaleTargetRef.name.split('-').at(-1)
      const concurrency = podOf(
        objects('medium', 'Deployment').find(({ metadata }) => metadata.name === scaleTargetRef.name)!,
      ).containers.map((container) => Number(envOf(container)['WORKER_CONCURRENCY']))[0]!
      expect(triggers).toMatchObject([
        {
          type: 'postgresql',
          metricType: 'AverageValue',
          metadata: {
            query: `select queue_load('${pool}')`,
            targetQueryValue: String(Math.max(1, Math.floor((concurrency * 4) / 5))),
          },
          authenticationRef: { name: authentication?.metadata.name },
        },
      ])
    }
  })

  test('can go by Prometheus, and by one process for several pools', { timeout: RUN_MS }, async (context) => {
    const path = needed(context)
    for (const { spec } of objects('large', 'ScaledObject')) {
      const [trigger] = (spec as Scaler).triggers
      expect(trigger).toMatchObject({ type: 'prometheus', metadata: { ignoreNullValues: 'false' } })
      expect(trigger?.metadata['query']).toMatch(
        /^sum\(max by \(task, state\) \(seo_queue_jobs\{namespace="seo",pool=~"\w+"/,
      )
    }
    const one = await render(path, 'small', ['keda.enabled=true', 'workers.all.keda={"minReplicas":1}'])
    const [scaler] = one.filter(({ kind }) => kind === 'ScaledObject')
    expect((scaler!.spec as Scaler).triggers[0]?.metadata['query']).toBe(
      `select ${pools.map((pool) => `queue_load('${pool}')`).join(' + ')}`,
    )
  })
})

describe('values', () => {
  test.for<[string, string, string]>([
    ['a name that is not there', 'image.repo="x"', 'image'],
    ['a number for a word', 'api.replicas="two"', 'replicas'],
    ['an unknown pool', 'workers.crawl={"pools":["crawl","nothing"]}', 'pools'],
    [
      'too little time to end',
      'workers.crawl={"terminationGracePeriodSeconds":5}',
      'terminationGracePeriodSeconds',
    ],
    ['an address without a scheme', 'tracing.endpoint="collector:4318"', 'endpoint'],
    ['a database that is none', 'database.urls.owner="mysql://x/y"', 'owner'],
    ['a setting that is the chart’s own', 'config.PORT="80"', "'PORT'"],
    ['an ingress without a host', 'api.ingress={"enabled":true,"host":""}', 'host'],
    ['an unknown trigger', 'keda.trigger="redis"', 'trigger'],
    ['a share that is none', 'workers.crawl={"pdb":{"maxUnavailable":"some"}}', 'maxUnavailable'],
    ['no database', 'database.existingSecret=""', 'database.urls.owner'],
    ['no key for secrets', 'existingSecret=""', 'SECRET_KEY'],
    ['nowhere for archives', 's3.bucket=""', 'archives.existingClaim'],
    ['a pool that nobody serves', 'workers.alerts={"enabled":false}', 'nobody serves the pool alerts'],
    ['Prometheus without its address', 'keda.trigger="prometheus"', 'serverAddress'],
  ])('with %s are refused', { timeout: RUN_MS }, async ([, set, reason], context) => {
    const { code, stderr } = await run(needed(context), 'template', 'medium', [set])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  })

  test(
    'of a pool go before those of all, also when they are false or zero',
    { timeout: RUN_MS },
    async (context) => {
      const all = await render(needed(context), 'medium', [
        'workerDefaults.keda={"minReplicas":3}',
        'workers.alerts={"pdb":{"enabled":false},"keda":{"minReplicas":0,"cooldownPeriod":0}}',
      ])
      const scaler = all.find(
        ({ kind, metadata }) => kind === 'ScaledObject' && metadata.name.endsWith('alerts'),
      )
      expect(scaler?.spec).toMatchObject({ minReplicaCount: 0, cooldownPeriod: 0 })
      expect(
        all.filter(
          ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name.endsWith('alerts'),
        ),
      ).toEqual([])
      const crawl = all.find(
        ({ kind, metadata }) => kind === 'ScaledObject' && metadata.name.endsWith('crawl'),
      )
      expect(crawl?.spec).toMatchObject({ minReplicaCount: 3 })
    },
  )

  test(
    'given in place are kept in Secrets of the chart’s own, the owner’s before the migration',
    { timeout: RUN_MS },
    async (context) => {
      const all = await render(needed(context), 'medium', [
        'existingSecret=""',
        'secrets={"SECRET_KEY":"00"}',
        'database={"existingSecret":"","urls":{"owner":"postgres://o@db/seo","api":"postgres://a@db/seo"}}',
      ])
      const secrets = all.filter(({ kind }) => kind === 'Secret')
      expect(
        Object.fromEntries(secrets.map(({ metadata, stringData }) => [metadata.name, stringData])),
      ).toEqual({
        'seo-seo-suite': { SECRET_KEY: '00' },
        'seo-seo-suite-database': {
          owner: 'postgres://o@db/seo',
          worker: 'postgres://o@db/seo',
          api: 'postgres://a@db/seo',
          keda: 'postgres://o@db/seo',
        },
        'seo-seo-suite-migrate': { owner: 'postgres://o@db/seo' },
      })
      const [job] = all.filter(({ kind }) => kind === 'Job')
      expect(JSON.stringify(podOf(job!))).toContain('"name":"seo-seo-suite-migrate","key":"owner"')
    },
  )

  test('without hooks migrate by a Job of this revision', { timeout: RUN_MS }, async (context) => {
    const all = await render(needed(context), 'medium', ['migrations.useHelmHooks=false'])
    const [job] = all.filter(({ kind }) => kind === 'Job')
    expect(job?.metadata).toMatchObject({ name: 'seo-seo-suite-migrate-1' })
    expect(job?.metadata.annotations).toBeUndefined()
  })
})

describe('what is rendered', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'seo-suite-schemas-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test(
    'is what Kubernetes, KEDA and the Prometheus operator take',
    { timeout: BUILD_MS },
    async (context) => {
      needed(context)
      const checker = needed(context, await kubeconform())
      const why = await writeSchemas(directory)
      if (why !== undefined) context.skip(why)
      const location = `${directory}/{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json`
      const check = (manifests: unknown[]) =>
        output(
          checker,
          ['-summary', '-schema-location', location],
          manifests.map((each) => stringify(each)).join('---\n'),
        )
      for (const example of examples) {
        const all = rendered.get(example)!
        const { code, stdout } = await check(all)
        expect({ code, stdout }).toMatchObject({
          code: 0,
          stdout: expect.stringContaining(`Valid: ${all.length}, Invalid: 0, Errors: 0, Skipped: 0`),
        })
      }
      for (const kind of ['Deployment', 'ScaledObject', 'PodMonitor', 'NetworkPolicy']) {
        const [one] = objects('medium', kind)
        const { code, stdout } = await check([{ ...one, spec: { ...one!.spec, nonsense: true } }])
        expect({ kind, code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('nonsense') })
      }
    },
  )

  test('has the alerts that promtool checks, and the dashboards', { timeout: BUILD_MS }, async (context) => {
    needed(context)
    const [rule] = objects('medium', 'PrometheusRule')
    const checker = needed(context, await promtool())
    const path = join(directory, 'rules.yaml')
    await writeFile(path, stringify(rule?.spec))
    const { code, stdout, stderr } = await output(checker, ['check', 'rules', path])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/SUCCESS: \d\d rules found/)
    const boards = objects('medium', 'ConfigMap').filter(
      ({ metadata }) => metadata.labels?.['grafana_dashboard'],
    )
    expect(boards.flatMap(({ data }) => Object.keys(data!))).toHaveLength(5)
    for (const { data } of boards)
      for (const text of Object.values(data!)) expect(JSON.parse(text)).toMatchObject({ schemaVersion: 41 })
  })
})
