"""The manifests for Kubernetes, against the schemas of its oldest and newest versions at hand."""

import copy
import unittest
from pathlib import Path

import kubernetes_validate
import yaml

FILE = Path(__file__).resolve().parents[2] / "Scripts/package.d/kubernetes.yaml"


class ManifestTests(unittest.TestCase):
    def setUp(self) -> None:
        self.documents = {document["kind"]: document for document in yaml.safe_load_all(FILE.read_text())}

    def check(self, document: dict, version: str) -> None:
        kubernetes_validate.validate(document, version, strict=True)

    def test_every_manifest_is_of_its_schema(self):
        self.assertEqual(set(self.documents), {"ConfigMap", "Service", "StatefulSet"})
        for version in ("1.25", kubernetes_validate.latest_version()):
            for kind, document in self.documents.items():
                with self.subTest(f"{kind} {version}"):
                    self.check(document, version)

    def test_a_field_that_no_schema_has_is_found(self):
        wrong = copy.deepcopy(self.documents["StatefulSet"])
        wrong["spec"]["template"]["spec"]["securityContext"]["runAsNobody"] = True
        with self.assertRaises(kubernetes_validate.ValidationError):
            self.check(wrong, "1.25")

    def test_the_server_has_no_rights_and_a_disk_of_its_own(self):
        pod = self.documents["StatefulSet"]["spec"]["template"]["spec"]
        container = pod["containers"][0]
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
        self.assertFalse(pod["enableServiceLinks"])
        claims = {claim["metadata"]["name"] for claim in self.documents["StatefulSet"]["spec"]["volumeClaimTemplates"]}
        named = claims | {volume["name"] for volume in pod["volumes"]}
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, named)

    def test_the_service_leads_to_a_port_of_the_server(self):
        labels = self.documents["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(self.documents["Service"]["spec"]["selector"].items() - labels.items(), set())
        ports = {port["name"] for port in self.documents["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]["ports"]}
        self.assertEqual({port["targetPort"] for port in self.documents["Service"]["spec"]["ports"]} - ports, set())


if __name__ == "__main__":
    unittest.main()
