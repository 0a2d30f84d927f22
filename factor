digraph dot {
subgraph cluster_1 {
label="graph_1" graph[style="dashed"];
}
}
