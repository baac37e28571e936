{{- define "seo-suite.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "seo-suite.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "seo-suite.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Labels that never change: (list $ component), or (list $) for every pod. */}}
{{- define "seo-suite.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "seo-suite.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- if gt (len .) 1 }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}
{{- end }}

{{- define "seo-suite.labels" -}}
{{- $root := index . 0 -}}
{{ include "seo-suite.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "seo-suite.serviceAccountName" -}}
{{- ternary (.Values.serviceAccount.name | default (include "seo-suite.fullname" .)) (.Values.serviceAccount.name | default "default") .Values.serviceAccount.create -}}
{{- end }}

{{/* A pool's values over the defaults of all: (list $ pool), as YAML. */}}
{{- define "seo-suite.pool" -}}
{{- $root := index . 0 -}}
{{- $pool := index . 1 -}}
{{- $merged := mergeOverwrite (deepCopy $root.Values.workerDefaults) (deepCopy (index $root.Values.workers $pool | default dict)) -}}
{{- if not $merged.pools }}{{ $_ := set $merged "pools" (list $pool) }}{{ end -}}
{{- toYaml $merged -}}
{{- end }}

{{/* Name and key of the Secret that has a role's connection string: (list $ role), as YAML. */}}
{{- define "seo-suite.databaseSecret" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- if $root.Values.database.existingSecret -}}
name: {{ $root.Values.database.existingSecret }}
key: {{ index $root.Values.database.keys $role }}
{{- else -}}
name: {{ include "seo-suite.fullname" $root }}-database
key: {{ $role }}
{{- end -}}
{{- end }}

{{/* What PostgreSQL is asked for a pool's load. */}}
{{- define "seo-suite.loadQuery" -}}
select {{ range $at, $pool := . }}{{ if $at }} + {{ end }}queue_load('{{ $pool }}'){{ end }}
{{- end }}

{{- define "seo-suite.usesClaim" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $pools := index . 2 -}}
{{- if and $root.Values.archives.existingClaim (or (eq $component "api") (has "scrape" $pools) (has "maintenance" $pools)) }}yes{{ end -}}
{{- end }}

{{/*
The pod of a component. Takes root, component, values, command, role, and for workers pools and env.
*/}}
{{- define "seo-suite.pod" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $browser := $values.browser | default false -}}
{{- $tag := $root.Values.image.tag | default $root.Chart.AppVersion -}}
{{- $pools := .pools | default list -}}
metadata:
  labels:
    {{- include "seo-suite.labels" (list $root .component) | nindent 4 }}
  annotations:
    checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
    {{- if not $root.Values.existingSecret }}
    checksum/secrets: {{ toJson (list $root.Values.secrets $root.Values.database.urls) | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "seo-suite.serviceAccountName" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- if and (hasKey $values "hostUsers") (not $values.hostUsers) }}
  hostUsers: false
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
  containers:
    - name: {{ .component }}
      image: {{ printf "%s:%s" $root.Values.image.repository (ternary ($root.Values.image.browserTag | default (printf "%s-browser" $tag)) $tag $browser) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [node, --import, ./telemetry.ts, {{ .script }}]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
        seccompProfile:
          {{- if $values.seccompProfile }}
          {{- toYaml $values.seccompProfile | nindent 10 }}
          {{- else }}
          type: {{ ternary "Unconfined" "RuntimeDefault" $browser }}
          {{- end }}
      ports:
        {{- if eq .component "api" }}
        - { name: http, containerPort: 8080 }
        {{- end }}
        - { name: metrics, containerPort: {{ $root.Values.metrics.port }} }
      envFrom:
        - configMapRef: { name: {{ include "seo-suite.fullname" $root }} }
        - secretRef: { name: {{ $root.Values.existingSecret | default (include "seo-suite.fullname" $root) }} }
      env:
        - name: DATABASE_URL
          valueFrom:
            secretKeyRef:
              {{- include "seo-suite.databaseSecret" (list $root .role) | nindent 14 }}
        - { name: SHUTDOWN_GRACE_SECONDS, value: {{ sub (int $values.terminationGracePeriodSeconds) 15 | quote }} }
        {{- range $name, $value := merge (deepCopy ($values.env | default dict)) (.env | default dict) }}
        - { name: {{ $name }}, value: {{ $value | toString | quote }} }
        {{- end }}
      {{- if eq .component "api" }}
      lifecycle:
        # Until no more requests are sent here.
        preStop: { sleep: { seconds: 5 } }
      {{- end }}
      startupProbe:
        httpGet: { path: /livez, port: metrics }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /livez, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /readyz, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: data, mountPath: /data }
  volumes:
    - { name: tmp, emptyDir: { sizeLimit: {{ ternary "2Gi" "256Mi" $browser }} } }
    {{- if include "seo-suite.usesClaim" (list $root .component $pools) }}
    - { name: data, persistentVolumeClaim: { claimName: {{ $root.Values.archives.existingClaim }} } }
    {{- else }}
    - { name: data, emptyDir: { sizeLimit: {{ $values.scratchSize | default "64Mi" }} } }
    {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "seo-suite.selector" (list $root .component) | nindent 10 }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
